# SPDX-License-Identifier: GPL-2.0-only
"""What the daemon costs at one size of something: rules, tasks, or threads of one process."""

import time
from pathlib import Path

from . import account, measure, rules
from .footprint import Crowd
from .listeners import Daemon
from ..process import Failure
from ..stats import percentile
from .workloads import STORMS

OPS = {"fork": 6_000, "exec": 1_000, "exec-norule": 1_000, "threads": 6_000}

# What a sleeping thread of bench-crowd takes: kernel stack, task, user stack.
BYTES_PER_TASK = 48 << 10


def _storms(daemon, build, share):
    """CPU per operation, in us: the median of three storms each, taken in turns."""
    costs = {key: [] for key in OPS}
    for _ in range(3):
        for key, ops in OPS.items():
            sample = measure.storm(daemon, build, STORMS[key], int(ops * share))
            costs[key].append(sample["cpu_ns"] / sample["ops"] / 1000)
    return {f"{key}_us": percentile(values, 50) for key, values in costs.items()}


def measure_daemon(build, options, share):
    """One daemon's life: its start, its storms, its reload, its stop."""
    daemon = Daemon("d", "the daemon", build, options)
    with daemon:
        start_cpu_ms = account.cpu_ns(daemon.pid) / 1e6
        status = daemon.counts()
        figures = {
            "start_ms": daemon.ready_ns / 1e6, "start_cpu_ms": start_cpu_ms,
            "rules": status["rules"], "tasks": status["tasks"],
            "resident_mib": status["resident_bytes"] / (1 << 20),
            "table_bytes_per_task": status["table_bytes"] / max(1, status["tasks"]),
            **_storms(daemon, build, share), "reload_cpu_ms": daemon.reload() / 1e6,
            "dropped": daemon.usage().dropped,
        }
        stop = time.monotonic()
    figures["stop_ms"] = (time.monotonic() - stop) * 1000
    return figures


def by_rules(build, folder, count, share):
    """One in thirty of the rules is a glob, as in the event bench."""
    options = rules.write(Path(folder) / f"rules-{count}",
                          rules.generate(count, max(0, count - len(rules.OWN)) // 30, seed=1))
    return measure_daemon(build, options, share)


def by_crowd(build, options, processes, threads, share):
    """The tasks are there before the daemon starts: it has to find them."""
    with Crowd(build, processes, threads) as crowd:
        if crowd.tasks < processes * threads:
            raise Failure(f"the kernel allows {crowd.tasks:,} only")
        return {"crowd": crowd.tasks, **measure_daemon(build, options, share)}
