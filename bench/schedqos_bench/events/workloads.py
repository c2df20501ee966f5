# SPDX-License-Identifier: GPL-2.0-only
"""What is done while somebody listens: storms of one kind of operation, and a real build."""

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from . import rules
from .. import attr
from ..process import Failure, Program

KEEP_EVERY = 100


class Done(NamedTuple):
    ops: int
    ns: int
    checked: int = 0
    wrong: tuple = ()


class Kind(NamedTuple):
    key: str
    label: str
    program: str
    starts: str = ""  # the program that it executes
    events: int = 1  # that the subscription brings for one operation


STORMS = {kind.key: kind for kind in (
    Kind("fork", "fork+exit", "bench-forks"),
    Kind("exec", "fork+exec+exit", "bench-execs", "bench-tiny", events=2),
    Kind("exec-norule", "fork+exec+exit, no rule", "bench-execs", rules.WITHOUT_RULE, events=2),
    Kind("threads", "thread create+rename", "bench-threads", events=2),
)}


def start_attr(program, variant):
    """
    Where nobody tags, a workload is started with what the daemon would give it: the comparison is to be one of
    costs, not of classes.
    """
    return attr.PRISTINE if variant.tags else rules.expected(program)


class Storm:
    """A storm that is ready to be told to go; a context that ends it."""

    def __init__(self, build, kind, variant, ops=None, keep_every=KEEP_EVERY):
        tools = Path(build).resolve() / "bench"
        self.kind, self.variant = kind, variant
        args = [tools / kind.program, "-k", keep_every if ops else 0]
        if ops:
            args += ["-n", ops]
        if kind.starts:
            args += ["-x", tools / kind.starts]
        self.program = Program(args, start_attr=start_attr(kind.program, variant), ends_at_eof=True)

    def __enter__(self):
        try:
            self.program.read_line()
        except BaseException:
            self.program.end()
            raise
        return self

    def __exit__(self, *_):
        self.program.end()

    def go(self):
        self.program.say("go")

    def result(self):
        """Of a storm that ends by itself. The tasks that it keeps are there until the context ends."""
        return self.program.read_json(timeout=120)

    def stop(self):
        self.program.say("stop")
        return self.result()

    def wrong(self, kept):
        """The kept tasks that do not carry what the configuration says, one by one."""
        found = []
        for tid, name in kept:
            if self.kind.key == "threads":
                want = rules.expected(self.kind.program, name)
            else:
                want = rules.expected(name)
            actual = attr.get(tid)
            if not want.matches(actual):
                found.append({"tid": tid, "name": name, "want": str(want),
                              "actual": str(actual) if actual else "gone"})
        return tuple(found)


class Make:
    """make -j4 of this program's own sources, in a copy of them."""

    key, label = "make", "make -j4, per exec"

    def __init__(self, source, folder, jobs=4):
        self.tree = Path(folder) / "make"
        self.jobs = jobs
        self.tree.mkdir()
        for name in ("src", "include", "Makefile"):
            path = Path(source) / name
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, self.tree / name)
        # What make was told about us is none of its child's business; nor is what was built before.
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
        self.environment["CCACHE_DISABLE"] = "1"

    def run(self, variant):
        shutil.rmtree(self.tree / "build", ignore_errors=True)
        args = ["make", f"-j{self.jobs}", "-C", self.tree, "CFLAGS=-O0", "V=", "SANITIZE=", "all"]
        start = time.monotonic_ns()
        with Program(args, start_attr=start_attr("make", variant), whole_group=True,
                     env=self.environment, stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
            errors = program.process.stderr.read()
            status = program.process.wait()
        if status:
            raise Failure(f"make fails here, so it cannot be measured:\n{errors}")
        return time.monotonic_ns() - start
