# SPDX-License-Identifier: GPL-2.0-only
"""Runs schedqos-bench lab for tests, and keeps each result, because many tests look at the same run."""

import functools
import json
import os
import statistics
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SCHEDQOS", TOP / "build/schedqos")).parent
KERNEL = "6.12"
# A kernel that ends short slices on time by default.
HRTICK_KERNEL = "7.3"
# In one seed a p99 differs by a tenth and more if anything else in the guest does: see src/doc/lab.md.
SEEDS = "5"
# Time limit in seconds, enough for a busy machine.
_WITHIN = 1800


class Run:
    """One run: the table that it printed, and the values that it wrote, one for each seed."""

    def __init__(self, *arguments, kernel=KERNEL):
        with tempfile.TemporaryDirectory(prefix="schedqos-test-") as folder:
            out = Path(folder) / "out"
            run = subprocess.run([TOP / "bench/schedqos-bench", "lab", *arguments, "--kernel", kernel, "--build", BUILD,
                                  "--out", out], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=_WITHIN, check=False)
            self.text = run.stdout
            if run.returncode:
                raise AssertionError(f"lab {' '.join(arguments)}: exit status {run.returncode}\n{run.stderr[-3000:]}")
            self.values = json.loads(out.read_text(encoding="utf-8"))

    def medians(self, variant):
        return {metric: statistics.median(values) for metric, values in self.values[variant].items()}


frames = functools.lru_cache(maxsize=None)(functools.partial(
    Run, "frames", "--seeds", SEEDS, "--seconds", "4", "--layouts", "flat,session"))
sound = functools.lru_cache(maxsize=None)(functools.partial(
    Run, "frames", "--seeds", SEEDS, "--seconds", "4", "--layouts", "session", kernel=HRTICK_KERNEL))
four_cpus = functools.lru_cache(maxsize=None)(functools.partial(
    Run, "frames", "--seeds", SEEDS, "--seconds", "4", "--layouts", "session", "--cpus", "4", kernel=HRTICK_KERNEL))
# The modes of Linux 7.3 of which explain has to know, on CPUs of which a mode may count several.
shares = functools.lru_cache(maxsize=None)(functools.partial(
    Run, "shares", "--cpus", "4", "--seeds", "2", "--seconds", "1", "--variants",
    ",".join(f"schedqos+cgroup_mode:{mode}" for mode in ("concur", "max")), kernel=HRTICK_KERNEL))
costs = functools.lru_cache(maxsize=None)(functools.partial(Run, "costs", "--rules", "10"))


@functools.lru_cache(maxsize=None)
def why_not(kernel=KERNEL, cpus=1):
    """Returns the reason why nothing can run here, or None."""
    from schedqos_bench.lab import emulator, kernels
    from schedqos_bench.process import Failure
    if not Path("/bin/busybox").exists():
        return "no busybox"
    try:
        emulator.find(cpus)
        kernels.find(kernel)
    except Failure as failure:
        return str(failure)
    return None


class Case(unittest.TestCase):
    def setUp(self):
        if why_not():
            self.skipTest(why_not())
