# SPDX-License-Identifier: GPL-2.0-only
"""Groups of tasks that do what a script says: the program actor.c, built when it is needed, and its results."""

import functools
import os
import shutil
import subprocess
import tempfile
import unittest
from typing import NamedTuple

from attributes import LIBC, get_attr
from daemon import SCHEDQOS, TOP
from programs import Program

HERE = os.path.dirname(os.path.abspath(__file__))
PRIO_PROCESS = 0


@functools.lru_cache(maxsize=None)
def tool(name):
    """A program in C: as the Makefile built it, beside the program under test or in the tree; else built here."""
    source = os.path.join(HERE, name + ".c")
    for build in (os.path.dirname(SCHEDQOS), os.path.join(TOP, "build")):
        path = os.path.join(build, "tests/live", name)
        if os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(source):
            return path
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise unittest.SkipTest("no compiler, and no build/tests/live/" + name)
    path = os.path.join(tempfile.mkdtemp(prefix="schedqos-%s-" % name), name)
    subprocess.run([compiler, "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-I",
                    os.path.join(TOP, "include"), "-o", path, source], check=True)
    return path


def actor():
    return tool("actor")


def lay_out(copy, names):
    """A folder with the actor under these names; copy is what a Stage has, since anybody has to be able to run it."""
    program = copy("programs/actor", actor())
    folder = os.path.dirname(program)
    for name in names:
        os.symlink(program, os.path.join(folder, name))
    return folder


class Seen(NamedTuple):
    """What a task shows, with the nice value that real time hides."""

    policy: int
    nice: int
    slice: int
    priority: int
    flags: int


class Outcome(NamedTuple):
    """Of one step: 0 or an errno; what the task showed."""

    error: int
    before: Seen
    after: Seen


class RunningGroup(Program):
    """One group that runs one script."""

    def __init__(self, script, folder, name, user=0, pause=0.0):
        super().__init__([actor(), "conduct", str(int(pause * 1e6)), str(user), folder, name],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.script = script
        self.outcomes, self.tids = [], {}

    def begin(self):
        self.popen.stdin.write("".join("%s\n" % step for step in self.script).encode() + b"\n")
        self.popen.stdin.flush()

    def finish(self):
        """Waits for its end, and reads its results."""
        for line in iter(self.popen.stdout.readline, b"end\n"):
            kind, *numbers = line.split() or [b""]
            numbers = [int(number) for number in numbers]
            if kind == b"S":
                self.outcomes.append(Outcome(numbers[0], Seen(*numbers[1:6]), Seen(*numbers[6:])))
            elif kind == b"T":
                self.tids[numbers[0]] = numbers[1]
            else:
                raise AssertionError("the group ended: %r" % line)

    def end(self):
        """With all its tasks."""
        if not self.popen.stdin.closed:
            self.popen.stdin.close()
        self.popen.wait()
        super().end()


def nice_of(tid):
    """Under real time as well."""
    return LIBC.getpriority(PRIO_PROCESS, tid)


def seen(tid):
    attr = get_attr(tid)
    return attr and Seen(attr.policy, nice_of(tid), attr.slice, attr.priority, attr.flags)
