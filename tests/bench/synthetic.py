# SPDX-License-Identifier: GPL-2.0-only
"""Results that nobody has measured, in the form of the real ones."""

import collections
import json
import random
from pathlib import Path

from case import options, recorded
from schedqos_bench import scenarios

FACTORS = (1.0, 0.45, 0.4, 1.4, 0.15, 0.8, 1.02)
NAMES = ("default", "schedqos", "schedqos:latency", "schedqos:foreground", "schedqos:throughput", "upstream", "ananicy")
SCENARIOS = {name: scenarios.load(name) for name in ("cyclictest", "schbench")}
PRINTED = {"cyclictest": {"min": 4, "avg": 62, "max": 4426},
           "schbench": SCENARIOS["schbench"].parse(recorded("schbench-announced-default.txt"))["printed"]}
SECONDS = 30


OPTIONS = options(SCENARIOS.values())
METRICS = {name: module.metrics(OPTIONS) for name, module in SCENARIOS.items()}


def _histogram(chance, factor):
    counts = collections.Counter(int(900 * factor * chance.lognormvariate(0, 1)) + 1 for _ in range(4000))
    return {"unit": "us", "kind": "histogram", "points": sorted(map(list, counts.items()))}


def _percentiles(chance, factor):
    points = [[percent, int(slow * factor * chance.lognormvariate(0, 0.08)) + 1]
              for percent, slow in ((50.0, 1618), (90.0, 3580), (99.0, 4952), (99.9, 6760))]
    return {"unit": "us", "kind": "percentiles", "min": 1, "max": points[-1][1] * 2, "samples": 45018, "points": points}


def _distributions(chance, scenario, factor):
    if scenario == "schbench":
        return {name: _percentiles(chance, factor) for name in ("wakeup", "request")}
    return {"latency": _histogram(chance, factor)}


def _metrics(chance, scenario, factor):
    """A faster variant does less."""
    return {key: 1000 * chance.lognormvariate(0, 0.02) * (factor if meaning["better"] == "lower" else factor ** 0.3)
            for key, meaning in METRICS[scenario].items()}


def _round(chance, scenario, variant, factor, number):
    daemon = {"cpu_seconds": 0.12, "share": 0.004 * chance.lognormvariate(0, 0.1)}
    return {"scenario": scenario, "variant": variant, "round": number, "warmup": number == 0,
            "began": "2026-11-20T12:34:56+00:00", "seconds": 30.2,
            "metrics": _metrics(chance, scenario, factor), "distributions": _distributions(chance, scenario, factor),
            "printed": PRINTED[scenario], "steal_share": 0.002 * chance.random(), "other_load": 0.01, "notes": [],
            "daemon": None if variant == "default" else daemon}


def _variant(name):
    if name.startswith("schedqos"):
        return {"kind": "schedqos", "mapping": name.partition(":")[2] or "announcement",
                "classes": {"QOS_BACKGROUND": {"sched_policy": "SCHED_BATCH", "sched_nice": 4,
                                               "sched_runtime": 20000000}}}
    return {"kind": "none"} if name == "default" else {"kind": "command", "command": f"/usr/bin/{name} --start"}


def result(chosen=("cyclictest", "schbench"), variants=2, rounds=6, seed=42):
    chance = random.Random(seed)
    names = NAMES[:variants]
    return {
        "format": 1, "began": "2026-11-20T12:34:56+00:00", "seconds": 1234.5, "seed": seed, "finished": True,
        "command": ["bench/schedqos-bench", "run", *chosen, "--rounds", str(rounds)],
        "environment": {
            "kernel": "6.18.2", "config": {"CONFIG_HZ": "250", "CONFIG_PREEMPT_LAZY": "y", "CONFIG_SCHED_HRTICK": "n"},
            "cpu": "Some CPU @ 2.10GHz", "cpus": 2, "memory_bytes": 8 << 30, "distribution": "Debian GNU/Linux 12",
            "virtual": "kvm", "versions": {"schedqos": "0.1-12-gabcdef0", "schbench": "1.0"}, "commit": "abcdef0",
            "sysctls": {"kernel.sched_autogroup_enabled": "0"}, "governor": None, "cgroup_cpu": False},
        "findings": [{"what": "This is a virtual machine (kvm)",
                      "consequence": "other machines on the same host take CPU time away: look at the steal time",
                      "remedy": "measure on hardware"}],
        "scenarios": {name: {"title": SCENARIOS[name].TITLE, "commands": SCENARIOS[name].commands(OPTIONS, SECONDS),
                             "options": {}, "seconds": SECONDS, "metrics": METRICS[name],
                             "rules": SCENARIOS[name].config(OPTIONS)} for name in chosen},
        "variants": {name: _variant(name) for name in names},
        "rounds": [_round(chance, scenario, name, factor, number) for number in range(rounds + 1)
                   for scenario in chosen for name, factor in zip(names, FACTORS)],
        "skipped": [],
    }


def write(directory, made):
    path = Path(directory)
    path.mkdir(parents=True, exist_ok=True)
    (path / "result.json").write_text(json.dumps(made), encoding="utf-8")
    return path
