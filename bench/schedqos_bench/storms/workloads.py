# SPDX-License-Identifier: GPL-2.0-only
"""Storms of one kind of operation, and what a listener pays for them."""

from typing import NamedTuple

from . import rules
from .. import attr
from ..process import Program
from ..scenarios import Missing

LEAST_OPS = 100


class Kind(NamedTuple):
    label: str
    program: str
    starts: str = ""  # the program that it executes


STORMS = {
    "fork": Kind("fork+exit", "bench-forks"),
    "exec": Kind("fork+exec+exit", "bench-execs", "bench-tiny"),
    "threads": Kind("thread create+rename", "bench-threads"),
}


def needs(options):
    """Returns what a scenario of storms lacks."""
    built = (options.build / "bench" / "bench-listener").exists()
    return [] if built else [Missing("bench-listener", "make bench-tools")]


def start_attr(program, running):
    """
    Returns the attributes that a workload is started with. Without a tagger these are the ones that the daemon would
    give it, so that costs are compared, and not classes.
    """
    return attr.PRISTINE if running.tags else rules.expected(running.classes, program)


def command(kind, ops):
    """Returns the command line of a storm of this many operations."""
    args = [kind.program, "-n", str(ops)]
    return [*args, "-x", kind.starts] if kind.starts else args


def measure_storm(running, tools, kind, ops):
    """Runs a storm to its end. Returns its operations, its time, and what the listener used and lost."""
    args = [tools / arg if arg.startswith("bench-") else arg for arg in command(kind, ops)]
    with Program(args, start_attr=start_attr(kind.program, running), ends_at_eof=True) as storm:
        storm.read_line()  # "ready"
        running.wait_until_idle()
        before = running.usage()
        storm.send("go")
        result = storm.read_json(timeout=120)
        running.wait_until_idle()
        used = running.usage().since(before)
    return {"ops": result["ops"], "ns": result["ns"], "cpu_ns": used.cpu_ns, "switches": used.switches,
            "dropped": used.dropped}
