#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""I/O priorities of classes: given, inherited, chosen by others, and put back."""

import ctypes
import os
import platform
import shutil
import unittest

from attributes import LIBC, pristine
from daemon import schedqos
from harness import LiveTest, main
from tasks import comm, tids
from waiting import wait_for

# include/uapi/linux/ioprio.h
NONE, BEST_EFFORT, IDLE = 0, 2, 3
WHO_THREAD = 1
SYS_SET, SYS_GET = (251, 252) if platform.machine() == "x86_64" else (30, 31)

BACKGROUND, UTILITY, INITIATED = "QOS_BACKGROUND", "QOS_UTILITY", "QOS_USER_INITIATED"
CLASSES = {BACKGROUND: {"io_class": "idle"}, UTILITY: {"io_class": "best-effort", "io_priority": 2}}
RULES = {**CLASSES, "app": {"qos": BACKGROUND, "thread_qos": {"fast": UTILITY}}}
ALL_IDLE, ALL_2 = (IDLE, 0), (BEST_EFFORT, 2)
STATE = "/run/schedqos/state"


def get_io(tid):
    """Class and level of a thread."""
    value = LIBC.syscall(SYS_GET, WHO_THREAD, tid)
    if value < 0:
        raise OSError(ctypes.get_errno(), "ioprio_get of %d" % tid)
    return value >> 13, value & 7


def set_io(tid, io_class, level=0):
    if LIBC.syscall(SYS_SET, WHO_THREAD, tid, io_class << 13 | level) < 0:
        raise OSError(ctypes.get_errno(), "ioprio_set of %d" % tid)


def all_io():
    """Of every thread that has one set."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for tid in tids(int(pid)):
            try:
                found[tid] = get_io(tid)
            except ProcessLookupError:
                pass
    return {tid: value for tid, value in found.items() if value[0] != NONE}


def needs_ionice(test):
    return unittest.skipUnless(shutil.which("ionice"), "no ionice")(test)


class IoTest(LiveTest):
    def setUp(self):
        super().setUp()
        try:
            get_io(0)
        except OSError as error:
            self.skipTest("no I/O priorities here: %s" % error)
        self.before = all_io()

    def assert_io(self, task, want):
        """Waits until the thread has it."""
        tid = getattr(task, "pid", task)
        wait_for(lambda: get_io(tid) == want,
                 lambda: "%d %r: I/O priority %s, not %s\n%s" % (tid, comm(tid), get_io(tid), want, self.current.log()))

    def assert_keeps_io(self, task, want):
        self.current.sync()
        self.assertEqual(get_io(getattr(task, "pid", task)), want)

    def stop(self, but=()):
        """The daemon; and no thread has what it did not have before, unless the test set it."""
        self.current.stop()
        left = {tid: value for tid, value in all_io().items() if tid not in but and self.before.get(tid) != value}
        self.assertEqual(left, {})


class Given(IoTest):
    def test_process_and_threads(self):
        before = self.puppet("app")
        self.daemon(RULES)
        after = self.puppet("app")
        for app in (before, after):
            self.assert_io(app, ALL_IDLE)
            self.assert_carries(app, BACKGROUND)
            # A copy, made by the kernel: there is nothing to wait for.
            child, = app.tell(0, "fork")
            self.assertEqual(get_io(child), ALL_IDLE)
            _, slow = app.tell(0, "thread")
            self.assertEqual(get_io(slow), ALL_IDLE)
            _, fast = app.tell(0, "thread", "fast")
            self.assert_io(fast, ALL_2)
            self.assert_keeps_io(slow, ALL_IDLE)
            self.assert_keeps_io(app, ALL_IDLE)
        self.stop()

    def test_exec_of_another_program(self):
        self.daemon(RULES)
        app = self.puppet("app")
        self.assert_io(app, ALL_IDLE)
        child = app.tell(0, "spawn", [self.alias("other"), "1000"])
        self.assert_io(child, (NONE, 0))
        self.stop()


class Chosen(IoTest):
    @needs_ionice
    def test_before(self):
        """No rule raises what somebody lowered; QOS_DEFAULT takes nobody for whom something was chosen."""
        rules = {INITIATED: CLASSES[UTILITY], "app": {"qos": INITIATED}, "raised": {"qos": INITIATED, "yield": False}}
        idle, low, high = ["ionice", "-c3"], ["ionice", "-c2", "-n7"], ["ionice", "-c2", "-n0"]
        early = self.sleeper("app", prefix=idle)
        wait_for(lambda: get_io(early.pid)[0] == IDLE, "ionice")
        self.daemon(rules)
        tasks = {early.pid: get_io(early.pid)}
        for prefix in (idle, low):
            app = self.sleeper("app", prefix=prefix)
            self.assert_carries(app, INITIATED)
            tasks[app.pid] = get_io(early.pid) if prefix is idle else (BEST_EFFORT, 7)
            self.assertEqual(get_io(app.pid), tasks[app.pid])
        app = self.sleeper("app", prefix=high)
        self.assert_carries(app, INITIATED)
        self.assert_io(app, ALL_2)
        tasks[app.pid] = (BEST_EFFORT, 0)
        self.assert_carries(early, INITIATED)
        raised = self.sleeper("raised", prefix=idle)
        self.assert_io(raised, ALL_2)
        other = self.sleeper("other", prefix=low)
        wait_for(lambda: comm(other.pid) == b"other", "the program behind ionice")
        self.assert_keeps(other, pristine())
        tasks[other.pid] = (BEST_EFFORT, 7)
        self.stop([*tasks, raised.pid])
        for tid, want in tasks.items():
            self.assertEqual(get_io(tid), want)
        self.assertEqual(get_io(raised.pid)[0], IDLE)


class Crash(IoTest):
    @staticmethod
    def clear():
        """However the test ended, nothing is left."""
        if os.path.exists(STATE):
            schedqos("restore")

    def killed(self):
        self.addCleanup(self.clear)
        first = self.daemon(RULES)
        self.app, self.chosen = self.puppet("app"), self.sleeper("app")
        for task in (self.app, self.chosen):
            self.assert_io(task, ALL_IDLE)
        set_io(self.chosen.pid, BEST_EFFORT, 6)
        first.sync()
        first.kill()
        # Born while nobody listens.
        self.child, = self.app.tell(0, "fork")
        self.assertEqual(get_io(self.child), ALL_IDLE)

    def assert_put_back(self):
        self.assertEqual([get_io(tid) for tid in (self.app.pid, self.child)], [(NONE, 0)] * 2)
        self.assertEqual(get_io(self.chosen.pid), (BEST_EFFORT, 6))

    def test_restore(self):
        self.killed()
        result = schedqos("restore")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_put_back()
        self.current.check_undone()


if __name__ == "__main__":
    main()
