# SPDX-License-Identifier: GPL-2.0-only
"""
The records that are kept for a crash: a daemon may be killed at any moment of its start or stop, and a record may be
unreadable for a while, or forever.
"""

import os
import time
import unittest

from attributes import BACKGROUND, BATCH, MS, UI, classes, fair, get_attr, pristine, set_attr
from daemon import CONFINED, is_sanitized, schedqos
from harness import LiveTest, once

RULES = {"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}}
STATE = "/run/schedqos/state"
DAMAGED = STATE + ".damaged"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o600)


class CrashTest(LiveTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.clear)
        self.chosen = self.sleeper("app")
        set_attr(self.chosen.pid, BATCH, 6, 7 * MS)
        self.app = self.sleeper("app")

    @staticmethod
    def clear():
        """Leaves the machine as it was, however the test ended."""
        if os.path.exists(STATE):
            os.chmod(STATE, 0o600)
            schedqos("restore")
        for path in (STATE, DAMAGED):
            if os.path.exists(path):
                os.unlink(path)

    def killed(self, config=None):
        """Returns a daemon that was killed."""
        first = self.daemon(config or RULES)
        self.assert_carries(self.app, BACKGROUND)
        self.assert_carries(self.chosen, classes()[BACKGROUND]._replace(nice=6))
        first.sync()
        first.kill()
        return first

    def assert_restored(self, first):
        result = schedqos("restore")
        self.assertEqual(result.returncode, 0, result.stderr)
        first.check_undone()
        self.assertEqual(self.chosen.attr(), fair(BATCH, 6, 7 * MS))
        self.assertEqual(self.app.attr(), pristine())
        self.assertFalse(os.path.exists(STATE) or os.path.exists(STATE + ".new"))


class Unread(CrashTest):
    """Records that root cannot read without capabilities, as in the unit, are kept."""

    def test_a_start_refuses_records_that_it_cannot_read(self):
        self.need(CONFINED)
        first = self.killed()
        content = read(STATE)
        os.chmod(STATE, 0)
        second = self.prepare({"app": {"qos": UI}}, prefix=CONFINED)
        second.launch()
        self.assertEqual(second.popen.wait(), 1)
        self.assertIn(STATE + " cannot be read: Permission denied", second.log())
        self.assert_carries(self.app, BACKGROUND)
        self.assertEqual(read(STATE), content)
        os.chmod(STATE, 0o600)
        self.assert_restored(first)


class Short(CrashTest):
    @unittest.skipIf(is_sanitized(), "a sanitizer needs descriptors of its own")
    def test_a_restore_without_descriptors_fails_and_can_be_repeated(self):
        """
        Tasks that were born while no daemon ran can be found only in /proc. A restore that cannot read it fails, and
        can be repeated.
        """
        parent = self.puppet("app")
        first = self.killed()
        self.assert_carries(parent, BACKGROUND)
        born = parent.tell(0, "fork", 1)[0]
        for limit in range(4, 40):
            restored = schedqos("restore", prefix=["prlimit", "--nofile=%d" % limit]).returncode == 0
            self.assertEqual(restored, not os.path.exists(STATE))
            if restored:
                break
        self.assertEqual(get_attr(born), pristine())
        self.assert_restored(first)


class Void(CrashTest):
    """Records that cannot be used are kept aside for later inspection."""

    def check(self, change, words):
        first = self.killed()
        good = read(STATE)
        change()
        bad = read(STATE)
        result = schedqos("restore")
        self.assertEqual(result.returncode, 1)
        self.assertIn(words, result.stderr)
        self.assertEqual(read(STATE), bad)
        second = self.daemon(RULES)
        self.assertIn(words, second.log())
        self.assertIn(DAMAGED, second.log())
        self.assertEqual(read(DAMAGED), bad)
        self.assertTrue(second.status()["crash_safe"])
        self.assertRegex(schedqos("doctor").stdout, r"note +set-aside")
        second.stop()
        self.assertEqual(self.app.attr().nice, 4)
        self.assertEqual(read(DAMAGED), bad)
        write(STATE, good)
        self.assert_restored(first)

    def test_damaged_records_are_kept_aside(self):
        self.check(lambda: os.truncate(STATE, os.path.getsize(STATE) - 1), "corrupt")


def reap_helpers():
    """Reaps the helpers of a killed daemon: the test runner has adopted them, and zombies are still in /proc."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as file:
                comm, rest = file.read().split("(", 1)[1].rsplit(")", 1)
            if comm == "schedqos-helper" and rest.split()[:2] == ["Z", str(os.getpid())]:
                os.waitpid(int(pid), 0)
        except (FileNotFoundError, ProcessLookupError):
            pass


@once
class Moments(CrashTest):
    """Sends SIGKILL at later and later moments, until it comes too late. Then compares every task of the machine."""

    STEP = 0.002  # a start or stop with this many tasks takes 20 ms and more

    def setUp(self):
        super().setUp()
        crowd = self.puppet("app")
        crowd.tell(0, "fork", 150)
        crowd.tell(0, "thread", "ui")

    def kill_at_many_moments(self, begin, has_ended):
        """begin returns a daemon that has just been started, or told to stop."""
        too_late = moments = 0
        # On a busy machine the first of them may be too late already.
        while too_late < 2 or moments < 4:
            daemon = begin()
            time.sleep(self.STEP * (1.5 ** moments - 1))
            daemon.kill()
            too_late += has_ended(daemon)
            self.assert_restored(daemon)
            reap_helpers()
            moments += 1

    def test_a_kill_during_a_start_loses_nothing(self):
        def begin():
            first = self.killed()
            daemon = self.prepare({"app": {"qos": UI}})
            daemon.launch()
            daemon.before = first.before
            return daemon

        self.kill_at_many_moments(begin, lambda daemon: "is listening" in daemon.log())

    def test_a_kill_during_a_stop_loses_nothing(self):
        def begin():
            daemon = self.daemon(RULES)
            self.assert_carries(self.app, BACKGROUND)
            daemon.popen.terminate()
            return daemon

        self.kill_at_many_moments(begin, lambda daemon: daemon.popen.returncode == 0)
