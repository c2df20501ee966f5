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
    """One group that runs one script, step by step."""

    def __init__(self, script, folder, name, user=0):
        super().__init__([actor(), "conduct", str(user), folder, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.script = script
        self.outcomes, self.tids = [], {}

    def say(self, text):
        self.popen.stdin.write(b"%s\n" % text.encode())
        self.popen.stdin.flush()

    def hear(self, kind):
        """A line of the answer: its numbers; none at the end."""
        line = self.popen.stdout.readline()
        word, *numbers = line.split() or [b""]
        if word not in (kind, b"end"):
            raise AssertionError("the group ended: %r" % line)
        return [int(number) for number in numbers]

    def finish(self):
        self.say("")
        self.tids = dict(iter(lambda: self.hear(b"T"), []))

    def end(self):
        """With all its tasks."""
        if not self.popen.stdin.closed:
            self.popen.stdin.close()
        self.popen.wait()
        super().end()


def run_all(groups, between):
    """Their scripts, to the end: each does its next step, then between() is called."""
    for number in range(max(len(group.script) for group in groups)):
        doing = [group for group in groups if number < len(group.script)]
        for group in doing:
            group.say(str(group.script[number]))
        for group in doing:
            error, *shown = group.hear(b"S")
            group.outcomes.append(Outcome(error, Seen(*shown[:5]), Seen(*shown[5:])))
        between()
    for group in groups:
        group.finish()


def nice_of(tid):
    """Under real time as well."""
    return LIBC.getpriority(PRIO_PROCESS, tid)


def seen(tid):
    attr = get_attr(tid)
    return attr and Seen(attr.policy, nice_of(tid), attr.slice, attr.priority, attr.flags)
