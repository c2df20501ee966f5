# SPDX-License-Identifier: GPL-2.0-only
"""On this kernel: the announcement's five classes as it has them, and a daemon that knows what it has."""

from attributes import classes
from features import features
from harness import LiveTest

NAMES = [name for name in classes() if name != "pristine"]


class Classes(LiveTest):
    def test_five_classes(self):
        self.daemon({name.lower(): {"qos": name} for name in NAMES})
        tasks = {name: self.sleeper(name.lower()) for name in NAMES}
        for name, task in tasks.items():
            self.assert_carries(task, name)

    def test_the_daemon_knows_the_kernel(self):
        """What it says in status is what is found out without it."""
        found = features()
        self.daemon()
        for name, value in self.current.status()["features"].items():
            if name in found:
                self.assertEqual(value, found[name], name)
