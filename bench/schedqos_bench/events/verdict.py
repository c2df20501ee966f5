# SPDX-License-Identifier: GPL-2.0-only
"""The goals, and whether they are met."""

from typing import NamedTuple

from ..stats import text
from .summary import FEW, MANY

MIB = 1 << 20


class Verdict(NamedTuple):
    goal: str
    measured: str
    met: bool  # None: not measured


def _at_most(goal, summary, limit, unit=" x"):
    met = None if summary is None else summary["median"] <= limit
    return Verdict(goal, text(summary, unit=unit), met)


def _costs(lines):
    verdicts = []
    for workload, limit, what in (("fork", 1.3, "fork+exit"), ("exec", 3.0, "fork+exec+exit")):
        for variant, rules in ((FEW, "10"), (MANY, "15,000")):
            line = lines.get((workload, variant))
            verdicts.append(_at_most(f"CPU for a {what}, {rules} rules: at most {limit} x bare",
                                     line and line["cpu_to_bare"], limit))
    for variant, rules in ((FEW, "10"), (MANY, "15,000")):
        line = lines.get(("fork", variant))
        kept = line and line["throughput_kept"]
        verdicts.append(Verdict(f"fork storm keeps its throughput, {rules} rules: at least 95 %",
                                text(kept, 1, 100, " %"), kept and kept["median"] >= 0.95))
    for workload, what in (("exec", "an exec with a rule"), ("exec-norule", "an exec without one")):
        line = lines.get((workload, MANY))
        verdicts.append(_at_most(f"CPU for {what}: 15,000 rules at most 1.05 x 10 rules",
                                 line and line["cpu_to_few_rules"], 1.05))
    return verdicts


def _latencies(latencies):
    verdicts = []
    for variant, rules in ((FEW, "10"), (MANY, "15,000")):
        for what in ("exec", "rename"):
            line = latencies.get(("fork", what, variant))
            for name, limit in (("p50", 1.2), ("p99", 1.5)):
                value = line and line[f"{name}_to_tagger"]
                verdicts.append(Verdict(
                    f"{what} latency under the fork storm, {rules} rules: {name} at most "
                    f"{limit} x tagger",
                    f"{value:.2f} x" if value else "-", value and value <= limit))
    return verdicts


def _footprint(memory, idle):
    verdicts = []
    if memory:
        what = f"{memory['rules']:,} rules, {memory['tasks']:,} tasks"
        verdicts.append(Verdict(f"resident set, {what}: under 8 MiB",
                                f"{memory['resident_bytes'] / MIB:.1f} MiB",
                                memory["resident_bytes"] < 8 * MIB))
        verdicts.append(Verdict("table: at most 100 bytes a task",
                                f"{memory['table_bytes_per_task']:.0f} bytes",
                                memory["table_bytes_per_task"] <= 100))
    if idle:
        verdicts.append(Verdict(
            "idle: no wake-up without events",
            f"{idle['wakeups']} in {idle['seconds']} s; {idle['events']} events of others woke the "
            f"bare listener {idle['wakeups_bare']} times",
            idle["wakeups"] <= idle["wakeups_bare"]))
    return verdicts


def _correctness(lines):
    daemon = [line for (_, variant), line in lines.items() if variant in (FEW, MANY)]
    wrong = sum(len(line["wrong"]) for line in daemon)
    checked = sum(line["checked"] for line in daemon)
    dropped = sum(line["dropped"] for line in daemon)
    return [
        Verdict("tasks wrongly tagged after a storm: 0", f"{wrong} of {checked} looked at",
                wrong == 0 if checked else None),
        Verdict("events lost: 0", f"{dropped}", dropped == 0 if daemon else None),
    ]


def verdicts(lines, latencies, memory, idle):
    """lines and latencies as dictionaries by their keys."""
    return (_costs(lines) + _latencies(latencies) + _footprint(memory, idle) + _correctness(lines))
