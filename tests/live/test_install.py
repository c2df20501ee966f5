# SPDX-License-Identifier: GPL-2.0-only
"""`make uninstall` stops the daemon before it removes the program, because nothing could stop it afterwards."""

import os
import shutil
import subprocess

from attributes import BACKGROUND
from daemon import SCHEDQOS, TOP, environment
from harness import LiveTest


class EndDaemon(LiveTest):
    def end(self, program):
        result = subprocess.run([os.path.join(TOP, ".packaging/end-daemon"), program], env=environment(), check=False,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_uninstall_ends_only_a_daemon_of_the_same_program(self):
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        app = self.sleeper("app")
        other = shutil.copy(SCHEDQOS, self.path("schedqos"))
        self.end(other)
        self.assert_keeps(app, BACKGROUND)
        self.end(SCHEDQOS)
        daemon.wait()
        daemon.check_undone()

    def test_uninstall_puts_back_what_a_killed_daemon_has_left(self):
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        daemon.kill()
        self.end(SCHEDQOS)
        daemon.check_undone()
        self.end(SCHEDQOS)
        self.end(self.path("nothing-there"))
