# SPDX-License-Identifier: GPL-2.0-only
"""The daemon knows what this kernel has."""

from features import features
from harness import LiveTest


class Kernel(LiveTest):
    def test_the_daemon_knows_the_kernel(self):
        """What it says in status is what is found out without it."""
        found = features()
        self.daemon()
        for name, value in self.current.status()["features"].items():
            if name in found:
                self.assertEqual(value, found[name], name)
