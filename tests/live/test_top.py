#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""top, in a pipe and on a terminal; and impact, which suspends tagging while it measures."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

from attributes import get_attr, pristine
from daemon import SCHEDQOS, environment, schedqos
from harness import LiveTest, main
from programs import PYTHON
from waiting import PATIENCE, wait_for

BACKGROUND, UTILITY, DEFAULT = "QOS_BACKGROUND", "QOS_UTILITY", "QOS_DEFAULT"
RULES = {"app": {"qos": BACKGROUND}, "burner": {"qos": UTILITY}, "short": {"qos": BACKGROUND}}
BURN = "while True: pass"
SHORT = "import sys, time\nwhile sum(time.process_time_ns() for _ in range(9)) < 9 * 10 ** 8: pass"


def frame(*args):
    result = schedqos("top", "--json", "--interval", "0.5", *args)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def by(key, name, sums):
    found, = [one for one in sums if one.get(key) == name]
    return found


class Top(LiveTest):
    def test_what_runs_is_counted_in_its_class(self):
        self.daemon(RULES)
        burner = self.run_program([self.alias("burner", PYTHON), "-c", BURN])
        self.assert_carries(burner, UTILITY)
        shown = frame()
        app = by("rule", "burner", shown["apps"])
        self.assertEqual((app["class"], app["tasks"]), (UTILITY, 1))
        self.assertGreater(app["run_ns"], 0)
        self.assertGreaterEqual(by("class", UTILITY, shown["classes"])["run_ns"], app["run_ns"])
        self.assertEqual([one["rule"] for one in frame("--app", "burner")["apps"]], ["burner"])
        self.assertEqual({one.get("class") for one in frame("--class", BACKGROUND)["apps"]} - {BACKGROUND}, set())

    def test_programs_that_end_between_two_frames_are_counted(self):
        self.daemon(RULES)
        if not frame()["ended_are_counted"]:
            self.skipTest("no exits from taskstats here")
        top = subprocess.Popen([SCHEDQOS, "top", "--json", "--interval", "2"], env=environment(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(top.wait)
        path = self.alias("short", PYTHON)
        # As long as it measures: some of them begin and end within.
        while top.poll() is None:
            subprocess.run([path, "-c", SHORT], check=True)
        with top.stdout:
            app = by("rule", "short", json.load(top.stdout)["apps"])
        self.assertEqual(app["class"], BACKGROUND)
        self.assertGreater(app["ended"], 0)
        self.assertGreater(app["run_ns"], 0)

    def test_a_pipe_gets_one_frame(self):
        self.daemon(RULES)
        result = schedqos("top", "--interval", "0.1", "--sort", "name")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.count("REFUSED"), 2)
        self.assertNotIn("\x1b", result.stdout)
        self.assertNotIn("\x01", result.stdout)

    def test_wrong_usage(self):
        for args in (["top", "--interval", "0"], ["top", "--interval", "nan"], ["top", "--sort", "x"],
                     ["impact", "--rounds", "0"], ["impact", "--seconds", "-1"]):
            result = schedqos(*args)
            self.assertEqual((result.returncode, result.stdout), (2, ""), args)

    def on_terminal(self, *args):
        """Starts it on a terminal of its own."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execve(SCHEDQOS, [SCHEDQOS, *args], environment())
        self.addCleanup(os.close, terminal)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        return pid, terminal

    def test_on_a_terminal(self):
        self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        pid, terminal = self.on_terminal("top", "--interval", "0.2", "--app", "app")
        seen = bytearray()

        def shows(text):
            while select.select([terminal], [], [], 0.01)[0]:
                try:
                    seen.extend(os.read(terminal, 65536))
                except OSError:  # it has ended
                    break
            return text in seen

        wait_for(lambda: shows(b"q quit"), "a screen")
        os.write(terminal, b"\n")
        thread = b"  %d " % app.pid
        wait_for(lambda: shows(thread), lambda: "the app's threads: %r" % bytes(seen[-2000:]))
        os.write(terminal, b"q")
        wait_for(lambda: shows(b"\x1b[?1049l"), "the screen put back")
        self.assertEqual(os.waitpid(pid, 0)[1], 0)


class Impact(LiveTest):
    def start(self, *args):
        process = subprocess.Popen([SCHEDQOS, "impact", *args], env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process

    def test_a_short_measurement(self):
        self.daemon(RULES)
        burner = self.run_program([self.alias("burner", PYTHON), "-c", BURN])
        self.assert_carries(burner, UTILITY)
        result = schedqos("impact", "--rounds", "5", "--seconds", "0.1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^QOS_UTILITY +CPU \(% of one\) ")
        self.assertRegex(result.stdout, r"(?m)^QOS_BACKGROUND +probe late p99 ")
        self.assertRegex(result.stdout, r"no difference shown|with tagging")
        self.assertEqual(result.stderr.count("tagging on"), 5)
        self.assertEqual(result.stderr.count("tagging off"), 5)
        self.assert_carries(burner, UTILITY)

    def test_everything_is_as_it_was_however_it_ends(self):
        daemon = self.daemon(RULES)
        app, chosen = self.sleeper("app"), self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        self.assert_carries(chosen, BACKGROUND)
        os.setpriority(os.PRIO_PROCESS, chosen.pid, 11)
        daemon.changed.add(chosen.pid)
        before = get_attr(chosen.pid)
        for how in (signal.SIGINT, signal.SIGKILL):
            impact = None
            # Which half comes first is chance.
            end = time.monotonic() + PATIENCE
            while not (impact and daemon.status()["suspended"]):
                self.assertLess(time.monotonic(), end, "never suspended")
                if impact:
                    impact.kill()
                    impact.wait()
                impact = self.start("--rounds", "1", "--seconds", "3600")
                wait_for(lambda: impact.poll() is not None or self.has_begun(impact), "it measures")
            self.assertEqual(get_attr(app.pid), pristine())
            self.assertEqual(get_attr(chosen.pid).nice, 11)
            late = self.sleeper("app")
            wait_for(lambda: self.is_put_back(late.pid), "a program begun meanwhile is known, and left as it is")
            self.assertEqual(get_attr(late.pid), pristine())
            impact.send_signal(how)
            impact.wait()
            wait_for(lambda: not daemon.status()["suspended"], "tagging is resumed")
            self.assert_carries(app, BACKGROUND)
            self.assert_carries(late, BACKGROUND)
            self.assertEqual(get_attr(chosen.pid), before)

    @staticmethod
    def is_put_back(pid):
        rows = json.loads(schedqos("list", "--json", "--class", BACKGROUND, "--reason", "undone").stdout)
        return any(row["pid"] == pid for row in rows)

    @staticmethod
    def has_begun(process):
        """Its probes run: they have threads of their own."""
        return len(os.listdir("/proc/%d/task" % process.pid)) > 1

    def test_one_at_a_time(self):
        daemon = self.daemon(RULES)
        first = self.start("--rounds", "1000", "--seconds", "0.1")
        wait_for(lambda: daemon.status()["suspended"], "suspended")
        os.kill(first.pid, signal.SIGSTOP)
        self.addCleanup(lambda: first.poll() is None and os.kill(first.pid, signal.SIGCONT))
        if daemon.status()["suspended"]:
            result = schedqos("impact", "--rounds", "1", "--seconds", "0.1")
            self.assertEqual(result.returncode, 1)
            self.assertIn("suspended for another client", result.stderr)


if __name__ == "__main__":
    main()
