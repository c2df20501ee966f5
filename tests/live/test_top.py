# SPDX-License-Identifier: GPL-2.0-only
"""top, in a pipe and on a terminal."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import unittest

from attributes import BACKGROUND, UTILITY
from daemon import SCHEDQOS, environment, schedqos
from harness import LiveTest
from programs import PYTHON
from waiting import wait_for

RULES = {"app": {"qos": BACKGROUND}, "burner": {"qos": UTILITY}}
BURN = "while True: pass"
# A kernel without CONFIG_SCHED_INFO does not tell what a task has used.
TELLS_USE = os.path.exists("/proc/self/schedstat")


def rows(name):
    """The cells of each row that begins with the class of this name."""
    result = schedqos("top")
    assert result.returncode == 0, result.stderr
    return [cells for cells in map(str.split, result.stdout.splitlines()) if cells[:1] == [name]]


def end(pid):
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


class Top(LiveTest):
    @unittest.skipUnless(TELLS_USE, "this kernel does not tell what a task has used")
    def test_what_runs_is_counted_in_its_class(self):
        self.daemon(RULES)
        burner = self.run_program([self.alias("burner", PYTHON), "-c", BURN])
        self.assert_carries(burner, UTILITY)

        def shown():
            """Tasks and CPU time: of the class, of the app."""
            of_class, app = rows(UTILITY)
            return app[1] == "burner" and float(app[4]) > 0 and (of_class[1:3], app[3:5])

        of_class, app = wait_for(shown, "it runs")
        self.assertEqual((of_class, app[0]), (app, "1"))

    def test_a_pipe_gets_one_frame(self):
        self.daemon(RULES)
        result = schedqos("top")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.count("REFUSED"), 2)
        self.assertNotIn("\x1b", result.stdout)
        self.assertNotIn("\x01", result.stdout)

    def on_terminal(self, rows, text):
        """On a terminal of its own, until that is in the second frame; then Ctrl-C."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execve(SCHEDQOS, [SCHEDQOS, "top"], environment())
        self.addCleanup(end, pid)
        self.addCleanup(os.close, terminal)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 120, 0, 0))
        seen = bytearray()

        def shows(text, times):
            while select.select([terminal], [], [], 0.01)[0]:
                seen.extend(os.read(terminal, 65536))
            return seen.count(text) >= times

        wait_for(lambda: shows(text, 2), lambda: "two frames: %r" % bytes(seen[-2000:]))
        os.write(terminal, b"\x03")
        self.assertEqual(os.WTERMSIG(os.waitpid(pid, 0)[1]), signal.SIGINT)

    def test_on_a_terminal(self):
        self.daemon(RULES)
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        self.on_terminal(40, b"QOS_BACKGROUND app ")

    def test_on_a_serial_line(self):
        """Which does not say how large it is."""
        self.daemon(RULES)
        self.on_terminal(0, b"QOS_DEFAULT ")
