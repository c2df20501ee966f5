# SPDX-License-Identifier: GPL-2.0-only
"""
How the daemon's costs grow with the number of rules, of tasks, and of threads in one process: for each size a daemon's
life, with its start, its storms, its reload and its stop. The tasks are there before it starts: it has to find them.
"""

import time

from ..daemon import Daemon
from ..process import Failure
from ..stats import percentile
from ..storms import crowd, rules, workloads
from ..storms.workloads import STORMS, needs  # noqa: F401
from . import Round, metric, positive

NAME, TITLE = "growth", "Growth: by rules, by tasks, by threads of one process"
VARIANTS = "schedqos"

FULL_SECONDS = 30
OPS = {"fork": 6_000, "exec": 1_000, "exec-norule": 1_000, "threads": 6_000}
RULES, TASKS, THREADS = "rules", "tasks", "threads of one process"
SIZES = {RULES: (10, 100, 1_000, 10_000, 100_000), TASKS: (100, 1_000, 10_000, 50_000),
         THREADS: (1, 10, 100, 1_000, 5_000, 20_000)}
THREADS_OF_EACH = 50  # where the number of tasks grows, not that of threads in one process
RULES_BESIDE_TASKS = 1_000

# What a sleeping thread of bench-crowd takes: kernel stack, task, user stack.
BYTES_PER_TASK = 48 << 10

COLUMNS = {
    "start_ms": ("start", "ms"), "start_cpu_ms": ("CPU of the start", "ms"),
    **{f"{key}_us": (f"CPU, {kind.label}", "us") for key, kind in STORMS.items()},
    "reload_cpu_ms": ("CPU of a reload", "ms"), "stop_ms": ("stop", "ms"), "resident_mib": ("resident set", "MiB"),
    "table_per_task": ("table, of each task", "bytes"), "dropped": ("events lost", ""),
}


def add_options(group):
    group.add_argument("--growth-most", type=positive, default=100_000, metavar="N", help="no size above (%(default)s)")


def config(_):
    """Each size starts the daemon anew."""


def commands(_, seconds):
    return {key: workloads.command(STORMS[key], _ops(key, seconds)) for key in OPS}


def _ops(key, seconds):
    return max(workloads.KEEP_EVERY, OPS[key] * seconds // FULL_SECONDS)


def _sizes(options):
    """(along, size) of all."""
    return [(along, size) for along, sizes in SIZES.items() for size in sizes if size <= options.growth_most]


def _key(along, size, column):
    return f"{along.split()[0]}_{size}_{column}"


def metrics(options):
    return {_key(along, size, column): metric(f"{title}, {size:,} {along}", unit,
                                              curve={"title": title, "along": along, "at": size})
            for along, size in _sizes(options) for column, (title, unit) in COLUMNS.items()}


def _storms(context, running):
    """CPU per operation, in us: the median of three storms each, taken in turns."""
    costs = {key: [] for key in OPS}
    for _ in range(3):
        for key in OPS:
            sample = workloads.measure_storm(running, context.tools, STORMS[key], _ops(key, context.seconds))
            costs[key].append(sample["cpu_ns"] / sample["ops"] / 1000)
    return {f"{key}_us": percentile(values, 50) for key, values in costs.items()}


def _life(context, count):
    """One daemon's, with so many rules."""
    with context.start(rules.filled(rules.config(None), count)) as running:
        if not isinstance(running, Daemon):
            raise Failure("growth is the daemon's: give it no other variants")
        status = running.counts()
        found = {"start_ms": running.ready_ns / 1e6, "start_cpu_ms": running.ready_cpu_ns / 1e6,
                 "resident_mib": status["resident_bytes"] / (1 << 20),
                 "table_per_task": status["table_bytes"] / max(1, status["tasks"]),
                 **_storms(context, running), "reload_cpu_ms": running.reload() / 1e6,
                 "dropped": running.usage().dropped}
        stop = time.monotonic()
    return {**found, "stop_ms": (time.monotonic() - stop) * 1000}


def _beside(context, processes, threads):
    """The same beside a crowd."""
    need = processes * threads * BYTES_PER_TASK
    if need > crowd.available_bytes() * 0.8:
        raise Failure(f"{need >> 20} MiB of memory are not free")
    with crowd.Crowd(context.tools, processes, threads) as there:
        if there.tasks < processes * threads:
            raise Failure(f"the kernel allows {there.tasks:,} only")
        return _life(context, RULES_BESIDE_TASKS)


def _measure(context, along, size):
    if along == RULES:
        return _life(context, size)
    return _beside(context, *((-(-size // THREADS_OF_EACH), THREADS_OF_EACH) if along == TASKS else (1, size)))


def run_round(context):
    """A note says why a size cannot be measured."""
    found, notes = {}, []
    sizes = _sizes(context.options)
    with crowd.raised(max(size for along, size in sizes if along != RULES)):
        for along, size in sizes:
            try:
                life = _measure(context, along, size)
                found.update({_key(along, size, column): value for column, value in life.items()})
            except Failure as failure:
                notes.append(f"{size:,} {along}: {failure}")
    if not found:
        raise Failure("\n".join(notes))
    return Round(found, {}, {}, notes)
