# SPDX-License-Identifier: GPL-2.0-only
"""Tagging latency, measured from inside the task, on an idle machine and during storms."""

import contextlib
import time
from pathlib import Path

from . import rules
from ..process import Program
from .workloads import STORMS, Storm, start_attr

IDLE_PAUSE_US = 10_000
STORM_PAUSE_US = 5_000
HEAD_START = 0.05  # seconds that a storm gets before it is measured

# During which the probes run; None: idle.
CONDITIONS = (None, "fork", "exec", "threads")


def probe(build, variant, samples, pause_us, seed):
    """Samples of exec and of rename, in ns, and how many never came."""
    tools = Path(build).resolve() / "bench"
    args = [tools / "bench-probe", samples, pause_us, seed, tools / "bench-probed",
            rules.expected("bench-probed")]
    for name in ("probe-a", "probe-b"):
        args += [name, rules.expected("bench-probe", name)]
    with Program(args, start_attr=start_attr("bench-probe", variant)) as program:
        return program.read_json(timeout=300)


def measure(variant, build, condition, samples, seed):
    """Samples of exec and of rename, in ns, and how many never came."""
    pause = STORM_PAUSE_US if condition else IDLE_PAUSE_US
    with contextlib.ExitStack() as stack:
        storm = None
        if condition:
            storm = stack.enter_context(Storm(build, STORMS[condition], variant))
            variant.settle()
            storm.go()
            time.sleep(HEAD_START)
        result = probe(build, variant, samples, pause, seed)
        if storm:
            result["storm"] = storm.stop()
    return result
