# SPDX-License-Identifier: GPL-2.0-only
"""The daemon recognises the features of this kernel."""

from features import features
from harness import LiveTest


class Kernel(LiveTest):
    def test_status_shows_the_features_of_the_kernel(self):
        """They are those that can be found out without the daemon."""
        found = features()
        self.daemon()
        for name, value in self.current.status()["features"].items():
            if name in found:
                self.assertEqual(value, found[name], name)
