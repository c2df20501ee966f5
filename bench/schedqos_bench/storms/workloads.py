# SPDX-License-Identifier: GPL-2.0-only
"""
Workloads for a listener, storms of one kind of operation and a real build: their cost, and what was lost or tagged
wrong.
"""

import shutil
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from . import rules
from .. import attr
from ..kernel_build import make_environment
from ..process import Failure, Program
from ..scenarios import Missing
from ..variants import ROOT

KEEP_EVERY = 100

# Events of a storm's own start, which are received as well: its fork and exec, and its two workers.
START_EVENTS = 4

# Seconds, at the most.
TAGGED_WITHIN = 2

COUNTS = ("forks", "execs", "renames", "lost", "set", "races")


class Kind(NamedTuple):
    key: str
    label: str
    program: str
    starts: str = ""  # the program that it executes
    events: int = 1  # that the subscription brings for one operation


STORMS = {kind.key: kind for kind in (
    Kind("fork", "fork+exit", "bench-forks"),
    Kind("exec", "fork+exec+exit", "bench-execs", "bench-tiny", events=2),
    Kind("exec-norule", "fork+exec+exit without a rule", "bench-execs", rules.WITHOUT_RULE, events=2),
    Kind("threads", "thread create+rename", "bench-threads", events=2),
)}


def needs(options):
    """Of all scenarios of storms."""
    built = (options.build / "bench" / "bench-listener").exists()
    return [] if built else [Missing("bench-listener", "make bench-tools")]


def start_attr(program, running):
    """
    Without a tagger, a workload is started with what the daemon would give it, so that costs are compared, not classes.
    """
    return attr.PRISTINE if running.tags else rules.expected(running.classes, program)


def command(kind, ops=None, keep_every=KEEP_EVERY):
    """The command line of a storm of so many operations, or until it is told to stop."""
    args = [kind.program, "-k", str(keep_every if ops else 0)]
    if ops:
        args += ["-n", str(ops)]
    return [*args, "-x", kind.starts] if kind.starts else args


class Storm:
    """A storm that is ready to be told to go; a context that ends it. Of root, or of the user with this number."""

    def __init__(self, tools, kind, running, ops=None, user=None):
        args = [tools / arg if arg.startswith("bench-") else arg for arg in command(kind, ops)]
        if user:
            args = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *args]
        self.kind, self.running = kind, running
        self.program = Program(args, start_attr=start_attr(kind.program, running), ends_at_eof=True,
                               whole_group=bool(user))

    def __enter__(self):
        self.program.wait_until_ready()
        return self

    def __exit__(self, *_):
        self.program.end()

    def go(self):
        self.program.send("go")

    def result(self):
        """Of a storm that ends by itself. The tasks that it keeps are there until the context ends."""
        return self.program.read_json(timeout=120)

    def stop(self):
        self.program.send("stop")
        return self.result()

    def wrong(self, kept):
        """
        The kept tasks that do not carry what the configuration says, one by one. In a flood of renames the daemon
        reads names from time to time instead, so the last ones may be right only a moment after it fell asleep.
        """
        end = time.monotonic() + TAGGED_WITHIN
        while True:
            found = self._wrong_now(kept)
            if not found or time.monotonic() > end:
                return found
            time.sleep(0.02)

    def _wrong_now(self, kept):
        found = []
        for tid, name in kept:
            names = (self.kind.program, name) if self.kind.key == "threads" else (name,)
            want, actual = rules.expected(self.running.classes, *names), attr.get(tid)
            if not want.matches(actual):
                found.append({"tid": tid, "name": name, "want": str(want),
                              "actual": str(actual) if actual else "gone"})
        return found


class Make:
    """make -j4 of this program's own sources, in a copy of them."""

    COMMAND = ("make", "-j4", "CFLAGS=-O0", "V=", "SANITIZE=", "all")

    def __init__(self, folder):
        self.tree = Path(folder) / "make"

    def prepare(self):
        """Copies the sources, and sees whether they can be built."""
        if not (ROOT / "Makefile").exists():
            raise Failure("no sources to build beside it: run it in a clone of the repository")
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in ("src", "include", "Makefile"):
            path = ROOT / name
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, self.tree / name)
        self.run(attr.PRISTINE)

    def run(self, started):
        """Started with these attributes. Returns how long it took, in ns."""
        shutil.rmtree(self.tree / "build", ignore_errors=True)
        start = time.monotonic_ns()
        with Program(self.COMMAND, start_attr=started, whole_group=True, env=make_environment(), cwd=self.tree,
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.PIPE) as program:
            errors = program.process.stderr.read()
            status = program.process.wait()
        if status:
            raise Failure(f"make fails here, so it cannot be measured:\n{errors}")
        return time.monotonic_ns() - start


def _counts(running):
    counts = running.counts()
    return {name: counts.get(name, 0) for name in COUNTS}


def _sample(running, before, counts_before, ops, ns):
    """What the listener used for a workload that is over. Its counters cost it CPU time, so they come last."""
    running.wait_until_idle()
    used = running.usage().since(before)
    counts = {name: value - counts_before[name] for name, value in _counts(running).items()}
    return {"ops": ops, "ns": ns, "cpu_ns": used.cpu_ns, "switches": used.switches, "dropped": used.dropped, **counts,
            "checked": 0, "wrong": [], "foreign": 0}


def measure_storm(running, tools, kind, ops):
    counts_before = _counts(running)
    with Storm(tools, kind, running, ops) as going:
        running.wait_until_idle()
        before = running.usage()
        going.go()
        result = going.result()
        sample = _sample(running, before, counts_before, result["ops"], result["ns"])
        if running.tags:
            sample.update(checked=len(result["kept"]), wrong=going.wrong(result["kept"]))
        if running.listens:
            sample["foreign"] = _foreign(sample, kind, running)
    return sample


def _foreign(sample, kind, running):
    """Events received beyond ours, from the rest of the machine."""
    ours = sample["ops"] * kind.events + START_EVENTS + running.asking_events
    return max(0, sample["forks"] + sample["execs"] + sample["renames"] - ours)


def measure_make(running, build):
    """An operation is an exec here, counted by the listener itself; without a listener, the whole build is one."""
    counts_before = _counts(running)
    running.wait_until_idle()
    before = running.usage()
    ns = build.run(start_attr("make", running))
    sample = _sample(running, before, counts_before, 1, ns)
    sample["ops"] = max(1, sample["execs"])
    return sample
