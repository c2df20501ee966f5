# SPDX-License-Identifier: GPL-2.0-only
"""A daemon takes over from one of the previous release, of which only the state file is left: nothing is lost."""

import os
import struct
import subprocess

from attributes import BATCH, MS, fair, pristine, set_attr
from daemon import schedqos
from groups import tool
from harness import LiveTest, main

UI, BACKGROUND = "QOS_USER_INTERACTIVE", "QOS_BACKGROUND"
RULES = {"app": {"qos": BACKGROUND}, "other": {"qos": UI}}
STATE = "/run/schedqos/state"
VERSION_AT = 8  # in the file, of four bytes


class Upgrade(LiveTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.clear)
        self.app, self.other, self.chosen = self.sleeper("app"), self.sleeper("other"), self.sleeper("app")
        set_attr(self.chosen.pid, BATCH, 6, 7 * MS)
        self.first = self.daemon(RULES)
        self.assert_carries(self.app, BACKGROUND)
        self.assert_carries(self.other, UI)
        self.assert_carries(self.chosen, fair(BATCH, 6, 20 * MS, util_max=256))
        self.reniced = self.sleeper("app")
        self.assert_carries(self.reniced, BACKGROUND)
        # Seen by the daemon, so that it is in the file whose this value is.
        set_attr(self.reniced.pid, BATCH, 9, 20 * MS)
        self.first.changed.add(self.reniced.pid)
        self.assertEqual(self.first.reload({**RULES, "app": {"qos": UI}}).returncode, 0)
        self.assertEqual(self.first.reload(RULES).returncode, 0)
        self.first.sync()
        self.first.kill()
        subprocess.run([tool("older_state"), STATE], check=True)
        with open(STATE, "rb") as file:
            self.assertEqual(struct.unpack_from("=I", file.read(VERSION_AT + 4), VERSION_AT), (2,))
        self.carried = [program.attr() for program in (self.app, self.other, self.chosen, self.reniced)]

    @staticmethod
    def clear():
        """However the test ended, the machine is left as it was."""
        if os.path.exists(STATE):
            schedqos("restore")

    def assert_as_before(self):
        self.first.check_undone()
        self.assertEqual(self.app.attr(), pristine())
        self.assertEqual(self.other.attr(), pristine())
        self.assertEqual(self.chosen.attr(), fair(BATCH, 6, 7 * MS))
        self.assertFalse(os.path.exists(STATE))

    def test_taken_over(self):
        second = self.daemon(RULES)
        second.before = self.first.before
        second.changed = self.first.changed
        self.assertNotIn("version", second.log())
        status = second.status()
        self.assertEqual((status["crash_safe"], status["problems"]), (True, {}))
        for program, carried in zip((self.app, self.other, self.chosen, self.reniced), self.carried):
            self.assert_keeps(program, carried)
        second.stop()
        self.assert_as_before()

    def test_restored(self):
        result = schedqos("restore")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_as_before()


if __name__ == "__main__":
    main()
