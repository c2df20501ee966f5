# SPDX-License-Identifier: GPL-2.0-only
"""What goes on beside the daemon in a round of the soak test: groups of actors, ordinary programs, and storms by a user."""

import os
import shutil

import scripts
from daemon import Daemon
from groups import RunningGroup, lay_out
from programs import Program, Stage, end_group
from soak_plan import HOSTILE, MAKE, NOBODY

FOREVER = 1 << 60
MANY = 8
# Of one user, those of the groups included.
PROCESSES_MAX = 300

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

# How many processes, under which name, of what each does for ever.
STORMS = {
    "renames": (1, "hostile", ("rename_often", FOREVER)),
    "renames by many": (MANY, "hostile", ("rename_often", FOREVER)),
    "renames with a class": (1, HOSTILE, ("rename_often", FOREVER)),
    "forks": (2, "hostile", ("children_of_many", FOREVER)),
    "fork bomb": (1, "hostile", ("bomb", PROCESSES_MAX)),
    "execs": (2, "hostile", ("run", "exec-loop")),
    "threads": (2, "hostile", ("threads_often", FOREVER)),
}


def prepare(folder):
    """What all rounds use."""
    stage = Stage()
    stage.folder = folder
    lay_out(stage.copy, scripts.PROGRAMS)
    stage.alias(MAKE, shutil.which("make"))
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
        program = Program(["sh", "-c", script], start_new_session=True, user=user, group=user, extra_groups=[])
        self.addCleanup(end_group, program)

    def begin_storm(self, kind):
        count, name, (verb, *args) = STORMS[kind]
        if verb == "run":
            args = [[self.path(args[0])]]
        for _ in range(count):
            puppet = self.puppet(name, start_new_session=True)
            self.addCleanup(end_group, puppet)
            puppet.tell(0, "become", NOBODY)
            puppet.begin(0, verb, *args)
