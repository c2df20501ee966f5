# SPDX-License-Identifier: GPL-2.0-only
"""The announcement's first scenario: timer wake-ups beside threads that send each other messages without a pause."""

import os
import re
import shutil
import statistics

from .. import histogram
from ..process import Failure
from ..programs import Background, let_run, measure
from . import Missing, Round, metric, percentile, positive

NAME, TITLE = "cyclictest", "Cyclictest + hackbench"

_SUMMARY = re.compile(r"^# (Min|Avg|Max) Latencies: ([0-9 ]+)$", re.MULTILINE)
_OVERFLOWS = re.compile(r"^# Histogram Overflows: ([0-9 ]+)$", re.MULTILINE)
_TIME = re.compile(r"^Time: ([0-9.]+)$", re.MULTILINE)
_BIN = re.compile(r"^([0-9]{6})((?:[ \t][0-9]+)+)$", re.MULTILINE)


def add_options(group):
    group.add_argument("--hackbench-loops", type=positive, default=60000, metavar="N",
                       help="messages of each sender (%(default)s)")
    group.add_argument("--hackbench-groups", type=positive, default=max(2, len(os.sched_getaffinity(0))), metavar="N",
                       help="of 40 threads each (as many as CPUs, two at least: %(default)s; the announcement's: 2)")
    group.add_argument("--cyclictest-threads", type=positive, default=1, metavar="N", help="(%(default)s)")
    group.add_argument("--cyclictest-interval", type=positive, default=1777, metavar="US", help="(%(default)s)")
    group.add_argument("--cyclictest-histogram", type=positive, default=20000, metavar="US",
                       help="the longest latency that is told apart (%(default)s)")


def needs(_):
    return [Missing(program, "package rt-tests")
            for program in ("cyclictest", "hackbench") if not shutil.which(program)]


def config(_):
    return {"hackbench": {"qos": "QOS_BACKGROUND"}, "cyclictest": {"qos": "QOS_USER_INTERACTIVE"}}


def commands(options, seconds):
    return {
        "hackbench": ["hackbench", "-T", "-p", "-l", str(options.hackbench_loops), "-g", str(options.hackbench_groups)],
        "cyclictest": ["nice", "-n", "0", "cyclictest", "-t", str(options.cyclictest_threads),
                       "-i", str(options.cyclictest_interval), "-D", str(seconds),
                       "-h", str(options.cyclictest_histogram), "-q"],
    }


def metrics(_):
    return {
        "min": metric("min latency", "us"), "avg": metric("average latency", "us", headline=True),
        **{name: percentile(name, "latency", headline=name != "p50") for name in ("p50", "p99", "p99.9", "max")},
        "hackbench_time": metric("hackbench's own time", "s", headline=True),
        "hackbench_cpu": metric("hackbench's CPU time", "s", "higher"),
    }


def run_round(context):
    argv = commands(context.options, context.seconds)
    # "hackbench & sleep 1": its threads are all there by then.
    with Background(argv["hackbench"], context.raw("hackbench")) as hackbench:
        let_run(1, [hackbench])
        before = hackbench.cpu_seconds()
        output = measure(argv["cyclictest"], context.raw("cyclictest"), context.seconds, beside=[hackbench])
        used = hackbench.cpu_seconds() - before
    found = parse(output)
    times = [float(text) for text in _TIME.findall(context.raw("hackbench").read_text(encoding="utf-8"))]
    found["metrics"].update(hackbench_cpu=used, hackbench_time=statistics.mean(times) if times else None)
    return Round(found["metrics"], {"latency": found["distribution"]}, found["printed"],
                 found["notes"] + _notes(hackbench))


def _notes(hackbench):
    if hackbench.restarts:
        return [f"hackbench ended and was started again {hackbench.restarts} times, after "
                f"{min(hackbench.lasted):.1f} s at the earliest"]
    return ["hackbench did not end, so its own time is not known: fewer --hackbench-loops"]


def _numbers(text):
    return [int(word) for word in text.split()]


def parse(output):
    """What cyclictest -h -q prints; of several threads, all their latencies together."""
    summary = {name.lower(): _numbers(text) for name, text in _SUMMARY.findall(output)}
    overflows = _OVERFLOWS.search(output)
    if len(summary) != 3 or not overflows:
        raise Failure(f"cyclictest has not printed its summary:\n{output[-2000:]}")
    # It rounds down, and prints a row for each microsecond.
    points = [[int(value), sum(_numbers(counts))] for value, counts in _BIN.findall(output)]
    points = [point for point in points if point[1]]
    beyond = sum(_numbers(overflows[1]))
    notes = []
    if beyond:
        points.append([max(summary["max"]), beyond])
        notes.append(f"{beyond} latencies beyond the histogram, of which only the longest is known: all count as that")
    if not points:
        raise Failure("cyclictest has not measured anything")
    printed = {"min": min(summary["min"]), "avg": sum(summary["avg"]) / len(summary["avg"]), "max": max(summary["max"])}
    percentiles = {f"p{percent:g}": float(histogram.percentile(points, percent)) for percent in (50, 99, 99.9)}
    return {"metrics": {**printed, **percentiles}, "printed": printed, "notes": notes,
            "distribution": {"unit": "us", "kind": "histogram", "points": points}}
