# SPDX-License-Identifier: GPL-2.0-only
"""Groups of tasks that follow a script. This file conducts them, and the program actor.c plays them."""

import ctypes
import errno
import mmap
import os
import platform
import resource
import subprocess
from typing import NamedTuple

from attributes import FLAG_RESET_ON_FORK, LIBC, get_attr, set_attr
from daemon import SCHEDQOS, TOP
from programs import Program
from scripts import BIRTHS
from waiting import wait_for

SYS_FUTEX, FUTEX_WAKE = 202 if platform.machine() == "x86_64" else 98, 1
# In the order of enum word in actor.c.
WORDS = (*BIRTHS, "exec", "rename", "exit", "leave", "nice", "policy", "slice", "reset")


def tool(name):
    """Returns the path of a C program built by `make unit-tests`: next to the program under test, or in the tree."""
    for build in os.path.dirname(SCHEDQOS), os.path.join(TOP, "build"):
        path = os.path.join(build, "tests/live", name)
        if os.path.exists(path):
            return path
    raise AssertionError("no build/tests/live/%s: make unit-tests" % name)


class Seen(NamedTuple):
    """The attributes of a task, with the nice value that a real-time policy hides."""

    policy: int
    nice: int
    slice: int
    priority: int
    flags: int


class Outcome(NamedTuple):
    """The outcome of one step: 0 or an errno, and the attributes of the task before and after."""

    error: int
    before: Seen
    after: Seen


class Slot(ctypes.Structure):
    """Struct slot of actor.c. The task waits for a change of the first field."""

    _fields_ = [("ordered", ctypes.c_uint32), ("done", ctypes.c_uint32), ("tid", ctypes.c_int32), ("error", ctypes.c_int32),
                ("word", ctypes.c_uint32), ("name", ctypes.c_char * 64), ("number", ctypes.c_int64 * 4)]


class Board(ctypes.Structure):
    _fields_ = [("folder", ctypes.c_char * 4096), ("slot", Slot * 64)]


class RunningGroup(Program):
    """A group that runs one script, step by step. Its programs are links to the actor in the folder."""

    def __init__(self, script, folder, name, user=0, limit=None):
        file = os.memfd_create("board")
        os.ftruncate(file, ctypes.sizeof(Board))
        self.board = Board.from_buffer(mmap.mmap(file, 0))
        self.board.folder = folder.encode()
        self.board.slot[0].ordered = 1
        self.script, self.outcomes, self.before = script, [], None
        super().__init__([tool("actor"), "conduct", str(user), name], stdin=subprocess.PIPE, pass_fds=[file],
                         env=dict(os.environ, BOARD=str(file)),
                         preexec_fn=limit and (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))))
        os.close(file)

    def wait_for(self, number):
        """Waits until the slot's task has done its step. Returns 0 or an errno."""
        slot = self.board.slot[number]
        wait_for(lambda: slot.done == slot.ordered, lambda: "slot %d of %s" % (number, list(map(str, self.script))))
        return slot.error

    def wait_for_birth(self, number, error=0):
        """Waits until the slot's task exists. error: that of the step that was to create the task."""
        error = error or self.wait_for(number)
        assert not error, "no task in slot %d: %s" % (number, os.strerror(error))

    def order(self, step):
        """Has the task do the step. If the step creates a task, that task's slot begins with one step: its creation."""
        slot = self.board.slot[step.slot]
        self.before = seen(slot.tid)
        if step.outside:
            slot.error = choose(slot.tid, step)
            return
        names = [arg for arg in step.args if isinstance(arg, str)]
        numbers = [arg for arg in step.args if not isinstance(arg, str)]
        slot.word, slot.name = WORDS.index(step.word), "".join(names).encode()
        slot.number[:len(numbers)] = numbers
        if step.word in BIRTHS:
            self.board.slot[step.args[0]].ordered = 1
        slot.ordered += 1
        LIBC.syscall(SYS_FUTEX, ctypes.byref(slot), FUTEX_WAKE, 1, None, None, 0)

    def finish(self, step):
        error = self.wait_for(step.slot)
        if step.word in BIRTHS:
            self.wait_for_birth(step.args[0], error)
        self.outcomes.append(Outcome(error, self.before, seen(self.board.slot[step.slot].tid)))

    @property
    def tids(self):
        """Returns the tid of each slot that was ever used."""
        return {number: slot.tid for number, slot in enumerate(self.board.slot) if slot.tid}

    def end(self):
        """Ends the group with all its tasks."""
        if not self.popen.stdin.closed:
            self.popen.stdin.close()
        self.popen.wait()
        super().end()


def run_all(groups, between):
    """Runs the scripts of the groups to the end: each group does its next step, then between() is called."""
    for group in groups:
        group.wait_for_birth(0)
    for number in range(max(len(group.script) for group in groups)):
        doing = [group for group in groups if number < len(group.script)]
        for group in doing:
            group.order(group.script[number])
        for group in doing:
            group.finish(group.script[number])
        between()


def choose(tid, step):
    """Sets an attribute as root, from outside of the group. Returns 0 or an errno."""
    attr = get_attr(tid)
    if attr is None:
        return errno.ESRCH
    reset = attr.flags & FLAG_RESET_ON_FORK
    try:
        if step.word == "nice":
            os.setpriority(os.PRIO_PROCESS, tid, *step.args)
        elif step.word == "policy":
            policy, priority = step.args
            os.sched_setscheduler(tid, policy | (os.SCHED_RESET_ON_FORK if reset else 0), os.sched_param(priority))
        else:
            set_attr(tid, attr.policy, attr.nice, *step.args, attr.priority, reset)
    except OSError as error:
        return error.errno
    return 0


def seen(tid):
    attr = get_attr(tid)
    # getpriority also returns the nice value of a real-time task.
    return attr and Seen(attr.policy, LIBC.getpriority(os.PRIO_PROCESS, tid), attr.slice, attr.priority, attr.flags)
