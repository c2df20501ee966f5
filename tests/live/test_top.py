# SPDX-License-Identifier: GPL-2.0-only
"""top shows the use of living and ended tasks, in a pipe and on a terminal."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios

from attributes import BACKGROUND, UTILITY
from daemon import SCHEDQOS, environment, schedqos
from harness import LiveTest
from programs import PYTHON
from waiting import wait_for

RULES = {"app": {"qos": BACKGROUND}, "burner": {"qos": UTILITY}, "brief": {"qos": BACKGROUND}}
BURN = "while True: pass"
# Forks and programs that end at once, one after the other: too fast for anybody to look at them.
STORM = "import os\nwhile True:\n pid = os.fork()\n pid or os._exit(0)\n os.waitpid(pid, 0)"
PROGRAMS = "import os, sys\nwhile True: os.spawnv(os.P_WAIT, sys.argv[1], [sys.argv[1]])"


def top(*args):
    result = schedqos("top", "--once", "--json", *args)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def app(name):
    """Returns the rows of the rule or program of this name."""
    return [row for row in top()["apps"] if row.get("name") == name]


def has_taskstats():
    """Returns whether the kernel reports ended tasks, according to the daemon."""
    return top()["taskstats"]


def end(pid):
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


class Top(LiveTest):
    def test_running_programs_are_counted_in_their_class(self):
        self.daemon(RULES)
        burner = self.run_program([self.alias("burner", PYTHON), "-c", BURN])
        self.assert_carries(burner, UTILITY)
        row, = wait_for(lambda: [row for row in app("burner") if row["cpu_seconds"] > 0], "it runs")
        self.assertEqual((row["class"], row["kind"], row["tasks"]), (UTILITY, "rule", 1))

    def test_ended_programs_are_counted_in_their_class(self):
        self.daemon(RULES)
        if not has_taskstats():
            self.skipTest("the kernel reports no ended tasks")
        self.run_program([PYTHON, "-c", PROGRAMS, self.alias("brief", "/bin/true")])
        rows = wait_for(lambda: [row for row in app("brief") if row["ended"] > 10], "they end")
        self.assertEqual([(row["class"], row["kind"]) for row in rows], [(BACKGROUND, "rule")])

    def test_the_sums_equal_the_machine_s_cpu_time(self):
        """A fork storm runs, so without ended tasks most of the use would be missing."""
        self.daemon(RULES)
        if not has_taskstats():
            self.skipTest("the kernel reports no ended tasks")
        self.run_program([PYTHON, "-c", STORM])
        seen = []

        def agree():
            seen.append(top())
            return (seen[-1]["ended"] > 100 and
                    abs(seen[-1]["cpu_seconds"] - seen[-1]["busy_seconds"]) < 0.05 * seen[-1]["busy_seconds"])

        wait_for(agree, lambda: "%r" % [{k: v for k, v in one.items() if k not in ("apps", "classes")} for one in seen])

    def test_counting_ends_with_the_last_reader(self):
        self.daemon(RULES)

        def sockets():
            """
            Counts the daemon's sockets for generic netlink. The second column is the protocol, the third the process.
            """
            with open("/proc/net/netlink", encoding="ascii") as file:
                lines = [line.split() for line in file.readlines()[1:]]
            return sum(line[1] == "16" and int(line[2]) & 0x3fffff == self.current.pid for line in lines)

        self.assertEqual(sockets(), 0)
        if not has_taskstats():
            self.skipTest("the kernel reports no ended tasks")
        reader = subprocess.Popen([SCHEDQOS, "top", "--once", "--seconds", "1000"], env=environment(),
                                  stdout=subprocess.DEVNULL)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.kill)
        wait_for(sockets, "it listens")
        reader.kill()
        wait_for(lambda: not sockets(), "it listens no more")

    def test_metrics_are_counters(self):
        self.daemon({"schedqos": {"accounting": True}, **RULES})
        self.assert_carries(self.run_program([self.alias("burner", PYTHON), "-c", BURN]), UTILITY)

        def seconds():
            text = schedqos("status", "--metrics").stdout
            found = re.search('^schedqos_cpu_seconds_total{class="%s"} ([0-9.]+)$' % UTILITY, text, re.M)
            self.assertIn("# TYPE schedqos_cpu_seconds counter\n", text)
            self.assertIn("# TYPE schedqos_delay_seconds counter\n", text)
            return float(found[1]) if found else 0

        first = wait_for(seconds, "it runs")
        wait_for(lambda: seconds() > first, "it goes on")
        self.assertIn("counted", schedqos("status").stdout)

    def test_a_pipe_gets_one_frame(self):
        self.daemon(RULES)
        for args in ((), ("--once",), ("--seconds", "1")):
            result = schedqos("top", *args)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout.count("CLASS "), 2)
            self.assertIn("(kernel threads)", result.stdout)
            self.assertNotIn("\x1b", result.stdout)
            self.assertNotIn("\x01", result.stdout)
        for wrong in ("0", "x", "-1", "99999999", ""):
            self.assertEqual(schedqos("top", "--seconds", wrong).returncode, 2, wrong)

    def on_terminal(self, rows, text):
        """Runs top on a terminal of its own until the second frame, then sends Ctrl-C."""
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

    def test_a_terminal_gets_frames_until_ctrl_c(self):
        self.daemon(RULES)
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        self.on_terminal(2000, b"QOS_BACKGROUND app ")

    def test_a_serial_line_gets_frames_of_24_lines(self):
        """A serial line does not report its size."""
        self.daemon(RULES)
        self.on_terminal(0, b"QOS_DEFAULT ")
