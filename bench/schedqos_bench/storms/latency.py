# SPDX-License-Identifier: GPL-2.0-only
"""Tagging latency, measured from inside the task, on an idle machine and during storms."""

import collections
import time

from . import rules
from ..process import Program
from .workloads import STORMS, Storm, start_attr

IDLE_PAUSE_US = 10_000
STORM_PAUSE_US = 5_000
HEAD_START = 0.05  # seconds that a storm gets before it is measured

# During which the probes run.
IDLE = "idle"
CONDITIONS = (IDLE, "fork", "exec", "threads")


def probe(tools, running, samples, pause_us, seed):
    """Samples of exec and of rename, in ns, and how many never came."""
    args = [tools / "bench-probe", samples, pause_us, seed, tools / "bench-probed",
            rules.expected(running.classes, "bench-probed")]
    for name in ("probe-a", "probe-b"):
        args += [name, rules.expected(running.classes, "bench-probe", name)]
    with Program(args, start_attr=start_attr("bench-probe", running)) as program:
        return program.read_json(timeout=300)


def measure(running, tools, condition, samples, seed):
    """The same, under a condition."""
    if condition == IDLE:
        return probe(tools, running, samples, IDLE_PAUSE_US, seed)
    with Storm(tools, STORMS[condition], running) as storm:
        running.wait_until_idle()
        storm.go()
        time.sleep(HEAD_START)
        result = probe(tools, running, samples, STORM_PAUSE_US, seed)
        storm.stop()
    return result


def distribution(samples):
    """As a scenario's Round has it, of samples in ns."""
    counts = collections.Counter(ns / 1000 for ns in samples)
    return {"unit": "us", "kind": "histogram", "points": sorted([value, count] for value, count in counts.items())}
