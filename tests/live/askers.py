# SPDX-License-Identifier: GPL-2.0-only
"""Connections from which tests call the daemon or the bridge, by tests/live/asker."""

import os
import subprocess

from daemon import SCHEDQOS, environment
from harness import LiveTest


class AskerTest(LiveTest):
    INTERFACE = ""  # the interface to call; "": each call names it as its first word

    def start_asker(self, *arguments, prefix=()):
        """Opens a connection for calls and returns it. Its `state` is "ready", or the reason why there is none."""
        asker = subprocess.Popen([*prefix, os.path.join(os.path.dirname(SCHEDQOS), "tests/live/asker"), *arguments],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), encoding="utf-8")
        self.addCleanup(self.hang_up, asker)
        asker.state = asker.stdout.readline().rstrip("\n")
        return asker

    @staticmethod
    def identity(uid, gid=None):
        return ["setpriv", "--reuid=%d" % uid, "--regid=%d" % (uid if gid is None else gid), "--clear-groups", "--"] if uid else []

    @staticmethod
    def hang_up(asker):
        asker.stdin.close()
        asker.wait()
        asker.stdout.close()

    def ask(self, asker, *words, interface=""):
        """Makes a call. Returns the answer: "ok" and the values, or "error", its name and its text."""
        asker.stdin.write(" ".join(filter(None, map(str, (interface or self.INTERFACE, *words)))) + "\n")
        asker.stdin.flush()
        return asker.stdout.readline().rstrip("\n").split("\t")

    def logs(self):
        return self.current.log()

    def assert_refused(self, answer, error, text=""):
        self.assertEqual(answer[:2], ["error", error], (answer, self.logs()))
        self.assertIn(text, answer[2])
