# SPDX-License-Identifier: GPL-2.0-only
"""Tagging latency, measured from inside the task."""

import collections

from . import rules
from ..process import Program
from .workloads import start_attr

PAUSE_US = 10_000  # the longest between two samples


def probe(tools, running, samples, seed):
    """Returns samples of exec and of rename, in ns, and how many tasks never got their class."""
    args = [tools / "bench-probe", samples, PAUSE_US, seed, tools / "bench-probed",
            rules.expected(running.classes, "bench-probed")]
    for name in ("probe-a", "probe-b"):
        args += [name, rules.expected(running.classes, "bench-probe", name)]
    with Program(args, start_attr=start_attr("bench-probe", running)) as program:
        return program.read_json(timeout=300)


def distribution(samples):
    """Returns samples in ns as a scenario's Round has them."""
    counts = collections.Counter(ns / 1000 for ns in samples)
    return {"unit": "us", "kind": "histogram", "points": sorted([value, count] for value, count in counts.items())}
