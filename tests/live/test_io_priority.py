# SPDX-License-Identifier: GPL-2.0-only
"""I/O priorities of classes are given, inherited, and put back. test_choices.py covers choices of others."""

import ctypes
import os
import platform

from attributes import BACKGROUND, LIBC, UTILITY
from harness import LiveTest
from tasks import comm, descendants, tids
from waiting import wait_for

# include/uapi/linux/ioprio.h
NONE, BEST_EFFORT, IDLE = 0, 2, 3
WHO_THREAD = 1
SYS_SET, SYS_GET = (251, 252) if platform.machine() == "x86_64" else (30, 31)

CLASSES = {BACKGROUND: {"io_class": "idle"}, UTILITY: {"io_class": "best-effort", "io_priority": 2}}
RULES = {**CLASSES, "app": {"qos": BACKGROUND, "thread_qos": {"fast": UTILITY}}}
ALL_IDLE, ALL_2 = (IDLE, 0), (BEST_EFFORT, 2)


def get_io(tid):
    """Returns class and level of a thread."""
    value = LIBC.syscall(SYS_GET, WHO_THREAD, tid)
    if value < 0:
        raise OSError(ctypes.get_errno(), "ioprio_get of %d" % tid)
    return value >> 13, value & 7


def set_io(tid, io_class, level=0):
    if LIBC.syscall(SYS_SET, WHO_THREAD, tid, io_class << 13 | level) < 0:
        raise OSError(ctypes.get_errno(), "ioprio_set of %d" % tid)


def all_io():
    """Returns class and level of every thread that has an I/O priority set."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for tid in tids(int(pid)):
            try:
                found[tid] = get_io(tid)
            except ProcessLookupError:
                pass
    return {tid: value for tid, value in found.items() if value[0] != NONE}


class IoTest(LiveTest):
    def setUp(self):
        super().setUp()
        try:
            get_io(0)
        except OSError as error:
            self.skipTest("no I/O priorities here: %s" % error)
        self.before = all_io()

    def assert_io(self, task, want):
        """Waits until the thread has this I/O priority."""
        tid = getattr(task, "pid", task)
        wait_for(lambda: get_io(tid) == want,
                 lambda: "%d %r: I/O priority %s, not %s\n%s" % (tid, comm(tid), get_io(tid), want, self.current.log()))

    def assert_keeps_io(self, task, want):
        self.current.sync()
        self.assertEqual(get_io(getattr(task, "pid", task)), want)

    def stop(self):
        """Stops the daemon; then no thread may have an I/O priority that it did not have before."""
        self.current.stop()
        ours = {tid for pid in descendants(os.getpid()) for tid in tids(pid)}
        left = {tid: value for tid, value in all_io().items()
                if self.before.get(tid) != value and (tid in self.before or tid in ours)}
        self.assertEqual(left, {})


class Given(IoTest):
    def test_a_class_with_an_io_priority_covers_processes_and_threads(self):
        before = self.puppet("app")
        self.daemon(RULES)
        after = self.puppet("app")
        for app in (before, after):
            self.assert_io(app, ALL_IDLE)
            self.assert_carries(app, BACKGROUND)
            # The kernel copies it at the fork, so there is nothing to wait for.
            child, = app.tell(0, "fork")
            self.assertEqual(get_io(child), ALL_IDLE)
            _, slow = app.tell(0, "thread")
            self.assertEqual(get_io(slow), ALL_IDLE)
            _, fast = app.tell(0, "thread", "fast")
            self.assert_io(fast, ALL_2)
            self.assert_keeps_io(slow, ALL_IDLE)
            self.assert_keeps_io(app, ALL_IDLE)
        self.stop()
