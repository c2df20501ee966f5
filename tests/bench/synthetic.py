# SPDX-License-Identifier: GPL-2.0-only
"""Results that nobody has measured, in the form of the real ones."""

import json
import math
import random
from pathlib import Path

from schedqos_bench.scenarios import metric

FACTORS = (1.0, 0.45, 0.4, 1.4, 0.15, 0.8, 1.02)
NAMES = ("default", "schedqos", "schedqos:latency", "schedqos:foreground", "schedqos:throughput", "upstream", "ananicy")
TITLES = {"cyclictest": "Cyclictest + hackbench", "schbench": "schbench + kernel build",
          "service": "HTTP service + pinned stress-ng", "io": "Random reader + sequential writer"}


METRICS = {
    "cyclictest": {"min": metric("min latency", "us", "lower"), "avg": metric("average latency", "us", "lower", True),
                   "p99": metric("p99 latency", "us", "lower", True),
                   "max": metric("max latency", "us", "lower", True),
                   "hackbench_cpu": metric("hackbench's CPU time", "s", "higher")},
    "schbench": {"wakeup_p50": metric("wakeup latency p50", "us", "lower"),
                 "wakeup_p99": metric("wakeup latency p99", "us", "lower", True),
                 "request_p99": metric("request latency p99", "us", "lower", True),
                 "rps": metric("requests", "1/s", "higher", True),
                 "build_cpu": metric("CPU time of the build", "s/s", "higher", True),
                 "build_objects": metric("objects compiled", "1/s", "higher")},
    "service": {"p99": metric("p99 latency", "us", "lower", True), "errors": metric("errors", "", None)},
    "io": {"read_p99": metric("read latency p99", "us", "lower", True),
           "write_rate": metric("written", "MiB/s", "higher")},
}
AXES = {"cyclictest": {"latency": "p99", "throughput": None, "background": "hackbench_cpu"},
        "schbench": {"latency": "wakeup_p99", "throughput": "rps", "background": "build_cpu"}}
RULES = {"hackbench": {"qos": "QOS_BACKGROUND"}, "cyclictest": {"qos": "QOS_USER_INTERACTIVE"}}
COMMANDS = {
    "cyclictest": {"hackbench": ["hackbench", "-T", "-p", "-l", "60000", "-g", "2"],
                   "cyclictest": ["nice", "-n", "0", "cyclictest", "-t", "1", "-i", "1777", "-D", "30", "-h", "20000",
                                  "-q"]},
    "schbench": {"schbench": ["schbench", "-r", "30"], "make": ["make", "-j4"]},
    "service": {"http_load": ["http_load", "--rate", "5000"]},
    "io": {"fio": ["fio", "--name=read", "--rw=randread"]},
}


def _histogram(chance, scale, samples=4000):
    counts = {}
    for _ in range(samples):
        slow = chance.random() < 0.06
        stretch = min(math.exp(chance.expovariate(0.9)), 60) if slow else 0.1
        value = max(1, int(scale * chance.lognormvariate(0, 0.5) * stretch))
        counts[value] = counts.get(value, 0) + 1
    return {"unit": "us", "kind": "histogram", "points": sorted([value, count] for value, count in counts.items())}


def _block(chance, scale, samples, percents=(50.0, 90.0, 99.0, 99.9)):
    growth = {20.0: 0.9, 50.0: 0.3, 90.0: 0.7, 99.0: 1.0, 99.9: 1.4}
    points = [[percent, int(scale * growth[percent] * chance.lognormvariate(0, 0.08)) + 1, samples // 10]
              for percent in percents]
    return {"runtime": 30, "samples": samples, "percentiles": points, "min": 1, "max": points[-1][1] * 2}


def _cyclictest(chance, factor):
    latency = _histogram(chance, 900 * factor)
    points = latency["points"]
    total = sum(count for _, count in points)
    printed = {"min": points[0][0], "avg": int(sum(value * count for value, count in points) / total),
               "max": points[-1][0]}
    metrics = {**printed, "p99": 4100 * factor * chance.lognormvariate(0, 0.1),
               "hackbench_cpu": 40 / factor ** 0.2 * chance.lognormvariate(0, 0.02)}
    return metrics, {"latency": latency}, printed


def _schbench(chance, factor):
    printed = {"wakeup": _block(chance, 12600 * factor, 45018),
               "request": _block(chance, 36000 * factor ** 0.3, 45042),
               "rps": _block(chance, 190 / factor ** 0.8, 31, (20.0, 50.0, 90.0))}
    printed["rps"]["average"] = 183.4 / factor ** 0.8 * chance.lognormvariate(0, 0.04)
    distributions = {name: {"unit": "us", "kind": "percentiles", "min": 1, "max": printed[name]["max"],
                            "samples": printed[name]["samples"],
                            "points": [point[:2] for point in printed[name]["percentiles"]]}
                     for name in ("wakeup", "request")}
    wakeup, request = ([value for _, value, _ in printed[name]["percentiles"]] for name in ("wakeup", "request"))
    metrics = {"wakeup_p50": wakeup[0], "wakeup_p99": wakeup[2], "request_p99": request[2],
               "rps": printed["rps"]["average"],
               "build_cpu": 1.2 * min(1.0, factor ** 0.15) * chance.lognormvariate(0, 0.03),
               "build_objects": 3.1 * factor ** 0.15 * chance.lognormvariate(0, 0.06)}
    return metrics, distributions, printed


def _service(chance, factor):
    return ({"p99": 23000 * factor * chance.lognormvariate(0, 0.1), "errors": 0},
            {"latency": _histogram(chance, 9000 * factor)}, {})


def _io(chance, factor):
    metrics = {"read_p99": 9000 * factor * chance.lognormvariate(0, 0.2),
               "write_rate": 120 * chance.lognormvariate(0, 0.2)}
    return (metrics, {"read": _histogram(chance, 3000 * factor)}, {})


MAKERS = {"cyclictest": _cyclictest, "schbench": _schbench, "service": _service, "io": _io}


def _round(chance, scenario, variant, factor, number):
    metrics, distributions, printed = MAKERS[scenario](chance, factor)
    daemon = {"cpu_seconds": 0.12, "share": 0.004 * chance.lognormvariate(0, 0.1)}
    return {"scenario": scenario, "variant": variant, "round": number, "warmup": number == 0,
            "began": "2026-11-20T12:34:56+00:00", "seconds": 30.2, "metrics": metrics, "distributions": distributions,
            "printed": printed, "steal_share": 0.002 * chance.random(), "other_load": 0.01, "notes": [],
            "daemon": None if variant == "default" else daemon}


def _variant(name):
    if name.startswith("schedqos"):
        return {"kind": "schedqos", "mapping": name.partition(":")[2] or "announcement",
                "classes": {"QOS_BACKGROUND": {"sched_policy": "SCHED_BATCH", "sched_nice": 4,
                                               "sched_runtime": 20000000}}}
    return {"kind": "none"} if name == "default" else {"kind": "command", "command": f"/usr/bin/{name} --start"}


def result(scenarios=("cyclictest", "schbench"), variants=2, rounds=6, seed=42):
    chance = random.Random(seed)
    names = NAMES[:variants]
    return {
        "format": 1, "began": "2026-11-20T12:34:56+00:00", "seconds": 1234.5, "seed": seed, "finished": True,
        "command": ["bench/schedqos-bench", "run", *scenarios, "--rounds", str(rounds)],
        "environment": {
            "kernel": "6.18.2", "config": {"CONFIG_HZ": "250", "CONFIG_PREEMPT_LAZY": "y", "CONFIG_SCHED_HRTICK": "n"},
            "cpu": "Some CPU @ 2.10GHz", "cpus": 2, "memory_bytes": 8 << 30, "distribution": "Debian GNU/Linux 12",
            "virtual": "kvm", "versions": {"schedqos": "0.1-12-gabcdef0", "schbench": "1.0"}, "commit": "abcdef0",
            "sysctls": {"kernel.sched_autogroup_enabled": "0"}, "governor": None, "cgroup_cpu": False},
        "findings": [{"what": "This is a virtual machine (kvm)",
                      "consequence": "other machines on the same host take CPU time away: look at the steal time",
                      "remedy": "measure on hardware"}],
        "scenarios": {name: {"title": TITLES[name], "commands": COMMANDS[name], "options": {}, "seconds": 30,
                             "metrics": METRICS[name], "axes": AXES.get(name), "rules": RULES} for name in scenarios},
        "variants": {name: _variant(name) for name in names},
        "rounds": [_round(chance, scenario, name, factor, number) for number in range(rounds + 1)
                   for scenario in scenarios for name, factor in zip(names, FACTORS)],
        "skipped": [],
    }


def write(directory, made):
    path = Path(directory)
    path.mkdir(parents=True, exist_ok=True)
    (path / "result.json").write_text(json.dumps(made), encoding="utf-8")
    return path
