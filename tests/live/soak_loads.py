# SPDX-License-Identifier: GPL-2.0-only
"""
What goes on beside the daemon in the soak test: groups of actors, ordinary programs, storms by a user, and tasks that
do nothing and are looked at.
"""

import os
import random
import shutil
import subprocess

import scripts
from attributes import classes
from daemon import SCHEDQOS, Daemon
from groups import RunningGroup, lay_out
from programs import Program, Stage, end_group
from scripts import BACKGROUND, OTHER_CONFIG
from soak_plan import HOSTILE, MAKE, NAMED, NOBODY, SLEEPERS, THREAD_NAMES

# Of those that do nothing, so many stay.
SLEEPERS_MAX = 40
MANY = 8
# Of one user, those of the groups included.
PROCESSES_MAX = 200

SHELL = "while :; do sleep 0.01; (ls / | cat) > /dev/null; cat /dev/null; done"
MAKE_LOOP = "while :; do %s -s -j4 -f %s; done"
MAKEFILE = """
parts := $(addprefix part-,1 2 3 4 5 6 7 8)
all: $(parts)
	@:
$(parts):
	@expr 1 + 1 > /dev/null; sleep 0.02 | cat; (exit 0)
.PHONY: all $(parts)
"""
EXEC_LOOP = '#!/bin/sh\nexec "$0"\n'

# How many processes, under which name, of what each does for ever: a program of bench/tools with two workers, or what a
# puppet is told.
STORMS = {
    "renames": (1, "hostile", "bench-renames"),
    "renames by many": (MANY, "hostile", "bench-renames"),
    "renames with a class": (1, HOSTILE, "bench-renames"),
    "forks": (1, "hostile", "bench-forks"),
    "fork bomb": (1, "hostile", ("bomb", PROCESSES_MAX)),
    "execs": (1, "hostile", "bench-execs", "-x", "bench-tiny"),
    "exec after exec": (2, "hostile", ("run", ["exec-loop"])),
    "threads": (1, "hostile", "bench-threads"),
}
TOOLS = sorted({word for storm in STORMS.values() for word in storm if str(word).startswith("bench-")})


def prepare(folder):
    """What all rounds use."""
    stage = Stage()
    stage.folder = folder
    lay_out(stage.copy, scripts.PROGRAMS)
    stage.alias(MAKE, shutil.which("make"))
    for name in TOOLS:
        # Copies, since anybody has to be able to run them.
        stage.copy(name, os.path.join(os.path.dirname(SCHEDQOS), "bench", name))
    Daemon.write(stage.path("Makefile"), MAKEFILE)
    Daemon.write(stage.path("exec-loop"), EXEC_LOOP)
    os.chmod(stage.path("exec-loop"), 0o755)


class Loads(Stage):
    """All that is begun here is ended when the stack is closed."""

    def __init__(self, folder, stack):
        self.folder, self.addCleanup = folder, stack.callback
        self.groups = []

    def begin_group(self, user, script, pause):
        group = RunningGroup(script, self.path("programs"), "plain", user, pause)
        self.addCleanup(group.end)
        self.groups.append(group)
        group.begin()

    def tids(self):
        """Of the groups' tasks, when their scripts are over."""
        for group in self.groups:
            if not group.outcomes:
                group.finish()
        return {tid for group in self.groups for tid in group.tids.values()}

    def begin_program(self, kind, user):
        script = MAKE_LOOP % (self.path(MAKE), self.path("Makefile")) if kind == "make" else SHELL
        self.run_group(["sh", "-c", script], user)

    def run_group(self, argv, user, **options):
        program = Program(argv, start_new_session=True, user=user, group=user, extra_groups=[], **options)
        self.addCleanup(end_group, program)
        return program

    def begin_storm(self, kind):
        count, name, what, *args = STORMS[kind]
        for _ in range(count):
            if isinstance(what, str):
                self.begin_tool(name, what, args)
            else:
                self.begin_puppet(name, *what)

    def begin_tool(self, name, tool, args):
        args = [self.path(arg) if arg in TOOLS else arg for arg in args]
        program = self.run_group([name, *args], NOBODY, executable=self.path(tool), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        assert program.popen.stdout.readline() == b"ready\n"
        program.popen.stdin.write(b"go")
        program.popen.stdin.flush()

    def begin_puppet(self, name, verb, *args):
        if verb == "run":
            args = [[self.path(program) for program in args[0]]]
        puppet = self.puppet(name, start_new_session=True)
        self.addCleanup(end_group, puppet)
        puppet.tell(0, "become", NOBODY)
        puppet.begin(0, verb, *args)


class Crowd:
    """Tasks that do nothing, and what they have to carry."""

    def __init__(self, loads):
        self.loads = loads
        self.sleepers = []  # (name, program)
        self.puppets = []
        self.threads = {}  # by (puppet, number of the thread): [tid, name]

    def begin(self):
        for _ in range(2):
            puppet = self.loads.puppet(NAMED)
            self.puppets.append(puppet)
            for _ in range(3):
                number, tid = puppet.tell(0, "thread")
                self.threads[puppet, number] = [tid, "t-none"]

    def add(self, number):
        """Some sleepers, in place of old ones, and other names for some threads."""
        chance = random.Random(number)
        for name in chance.sample(sorted(SLEEPERS), 3):
            user = chance.choice((0, NOBODY))
            self.sleepers.append((name, self.loads.sleeper(name, user=user, group=user, extra_groups=[])))
        for _, program in self.sleepers[:-SLEEPERS_MAX]:
            program.end()
        self.sleepers = self.sleepers[-SLEEPERS_MAX:]
        for puppet, thread in chance.sample(sorted(self.threads, key=lambda key: self.threads[key][0]), 2):
            name = chance.choice(sorted(THREAD_NAMES))
            puppet.tell(thread, "name", name)
            self.threads[puppet, thread][1] = name

    def wanted(self, config):
        """By tid: what it has to carry with this of the configurations."""
        attrs = dict(classes())
        if config == 1:
            attrs[BACKGROUND] = attrs[BACKGROUND]._replace(nice=OTHER_CONFIG[BACKGROUND]["sched_nice"])
        found = {program.pid: attrs[SLEEPERS[name][config]] for name, program in self.sleepers}
        found.update((tid, attrs[THREAD_NAMES[name]]) for tid, name in self.threads.values())
        return found
