# SPDX-License-Identifier: GPL-2.0-only
"""
The machine as it is, at its usual work: what its programs wait for a CPU by the kernel's count (schedstat), and how late a
probe is woken, with the service stopped and with it started as it is configured here. Nothing but the probe is run.
"""

import os
import shutil
import threading
import time
from pathlib import Path
from typing import NamedTuple

from .. import accounting, attr
from ..process import children
from ..programs import measure
from . import Missing, Round, cyclictest, metric, percentile

NAME, TITLE = "here", "The machine as it is, and a probe"

PROBE_PERIOD_US = 4000
IDLE_BUSY = 0.25  # of all CPUs: where so little runs, nobody waits


class Wait(NamedTuple):
    """Of a task, since it began, or of many, in a round; /proc/TID/schedstat."""

    run_ns: int = 0
    delay_ns: int = 0
    waits: int = 0

    def plus(self, other, sign=1):
        return Wait(*(one + sign * more for one, more in zip(self, other)))


def add_options(group):
    group.add_argument("--here-programs", type=lambda text: text.split(","), default=[], metavar="NAME,...",
                       help="programs to tell apart, by the names that ps shows (default: all together)")


    group.add_argument("--here-hold-idle-latency", action="store_true",
                       help="let the probe keep CPUs from deep idle states, as cyclictest does by itself; that changes the "
                            "machine it measures")


def needs(_):
    return [] if shutil.which("cyclictest") else [Missing("cyclictest", "package rt-tests")]


def config(_):
    """The daemon is started with what is configured here."""


def commands(options, seconds):
    hold = [] if options.here_hold_idle_latency else ["--default-system"]
    return {"probe": ["cyclictest", *hold, "-t", "1", "-i", str(PROBE_PERIOD_US), "-D", str(seconds), "-h", "20000", "-q"]}


def metrics(options):
    return {"probe_p50": percentile("p50", "probe", "probe, wake-up latency p50"),
            "probe_p99": percentile("p99", "probe", "probe, wake-up latency p99", headline=True),
            "probe_max": metric("probe, longest wake-up latency", "us"),
            "wait": metric("all programs, wait for a CPU each time", "us", headline=True),
            "pressure": metric("time in which some task waited for a CPU", "%"),
            "busy": metric("CPU time used", "%", None),
            **{f"wait_{name}": metric(f"{name}, wait for a CPU each time", "us")
               for name in options.here_programs}}


def _read(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None


def snapshot(proc="/proc"):
    """{(process's name, tid, start): Wait} of every task but ours and the daemon's."""
    found = {}
    for pid in filter(str.isdigit, os.listdir(proc)):
        name = _read(f"{proc}/{pid}/comm")
        if name in (None, "schedqos\n") or int(pid) == os.getpid():
            continue
        try:
            tids = os.listdir(f"{proc}/{pid}/task")
        except (FileNotFoundError, ProcessLookupError):
            continue
        for tid in tids:
            text, stat = (_read(f"{proc}/{pid}/task/{tid}/{file}") for file in ("schedstat", "stat"))
            if text and stat:
                start = stat.rpartition(")")[2].split()[19]
                found[name.rstrip("\n"), int(tid), int(start)] = Wait(*map(int, text.split()))
    return found


def waited(before, after, program=None):
    """What the tasks that were there all the time have run and waited in between: those of a program, or of all."""
    total = Wait()
    for key, now in after.items():
        if key in before and program in (None, key[0]):
            total = total.plus(now).plus(before[key], -1)
    return total


def _pressure_us():
    """Time so far in which some task waited for a CPU; None where the kernel does not count it."""
    try:
        text = Path("/proc/pressure/cpu").read_text(encoding="ascii")
    except OSError:
        return None
    return int(text.split("\n", 1)[0].rpartition("total=")[2])


def _each(wait):
    return wait.delay_ns / 1000 / wait.waits if wait.waits else None


def figures(before, after, programs):
    """The metrics that come from two snapshots, and notes on those that could not be had."""
    found = {"wait": _each(waited(before, after)),
             **{f"wait_{name}": _each(waited(before, after, name)) for name in programs}}
    return found, [f"{name.partition('_')[2] or 'any program'}: did not run in this round"
                   for name, value in found.items() if value is None]


def _tell_class(classes, notes):
    """Adds a note on which attributes and class the probe has."""
    for child in children():
        try:
            tids = os.listdir(f"/proc/{child}/task") if _read(f"/proc/{child}/comm") == "cyclictest\n" else []
        except FileNotFoundError:
            continue
        found = {str(each): each for each in map(attr.get, map(int, tids)) if each}
        for each in found.values():
            names = [name for name, its in classes.items() if its.matches(each)]
            policy = {attr.NORMAL: "SCHED_NORMAL", attr.BATCH: "SCHED_BATCH", attr.IDLE: "SCHED_IDLE"}.get(
                each.policy, f"policy {each.policy}")
            notes.append(f"the probe has {policy}, nice {each.nice}, slice {each.slice_ns / 1e6:g} ms: "
                         f"{' or '.join(names) or 'no class'}")


def _measure(context, classes):
    tasks, machine, pressure, clock = snapshot(), accounting.machine(), _pressure_us(), time.monotonic()
    told = []
    look = threading.Timer(context.seconds / 2, _tell_class, (classes, told))
    look.start()
    try:
        output = measure(commands(context.options, context.seconds)["probe"], context.raw("probe"), context.seconds)
    finally:
        look.cancel()
        look.join()
    found, notes = figures(tasks, snapshot(), context.options.here_programs)
    used, seconds = accounting.machine().since(machine), time.monotonic() - clock
    found["busy"] = 100 * used.busy / used.total
    found["pressure"] = None if pressure is None else (_pressure_us() - pressure) / 1e4 / seconds
    probe = cyclictest.parse(output)
    found.update({f"probe_{name}": probe["metrics"][name] for name in ("p50", "p99", "max")})
    if used.busy < IDLE_BUSY * used.total:
        notes.append("the machine was nearly idle: where nobody waits, the service changes nothing")
    return Round(found, {"probe": probe["distribution"]}, {}, told + notes + probe["notes"])


def run_round(context):
    with context.start(None) as running:
        return _measure(context, running.classes if running.tags else {})
