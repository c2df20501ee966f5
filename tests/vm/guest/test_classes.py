# SPDX-License-Identifier: GPL-2.0-only
"""On this kernel: the announcement's five classes as it has them, and a daemon that knows what it has."""

import json
import os

from attributes import classes, get_attr
from features import features
from harness import LiveTest

NAMES = [name for name in classes() if name != "pristine"]
SEEN = os.environ.get("CLASSES_SEEN", "/run/classes.json")


class Classes(LiveTest):
    def test_five_classes(self):
        self.daemon({name.lower(): {"qos": name} for name in NAMES})
        tasks = {name: self.sleeper(name.lower()) for name in NAMES}
        for name, task in tasks.items():
            self.assert_carries(task, name)
        with open(SEEN, "w", encoding="ascii") as file:
            json.dump({name: get_attr(task.pid)._asdict() for name, task in tasks.items()}, file)

    def test_the_daemon_knows_the_kernel(self):
        """What it says in status is what is found out without it."""
        found = features()
        self.daemon()
        for name, value in self.current.status()["features"].items():
            if name in found:
                self.assertEqual(value, found[name], name)
