# SPDX-License-Identifier: GPL-2.0-only
"""
A result as plain text of at most 72 columns, to be pasted into a mail to kernel developers, and every value of every
round beside it, for whoever wants to reckon for himself.
"""

import json
import statistics

from ..escape import plain
from . import figures, markdown, words

_HEAD = ("  variant", "median", "n", "CV", "ratio [interval]")


def _heading(text, rule):
    lines = markdown.wrapped(text)
    return [*lines, rule * max(map(len, lines)), ""]


def variation(values):
    """The coefficient of variation, as text; empty where there is none."""
    if len(values) < 2 or statistics.mean(values) <= 0:
        return ""
    return f"{100 * statistics.stdev(values) / statistics.mean(values):.0f}%"


def _row(name, cell):
    values = cell.summary["values"] if cell.summary else []
    median = words.figure(cell.summary["median"]) if values else "not measured"
    return [f"  {plain(name)}", median, str(len(values)), variation(values), words.ratio(cell.ratio)]


def _scenario(result, scenario, lines):
    described = result["scenarios"][scenario]
    found = _heading(described.get("title") or scenario, "-")
    found += [line for argv in described["commands"].values() for line in markdown.command(argv)] + [""]
    if described.get("rules"):
        found += [*markdown.wrapped(json.dumps(described["rules"])), ""]
    groups = [(words.line(line), [_row(name, cell) for name, cell in line.cells.items()]) for line in lines]
    return found + (markdown.grouped(groups, _HEAD) if groups else ["No round of it was completed."]) + [""]


def text(result, by_scenario):
    """by_scenario is of figures.all_lines()."""
    found = _heading("schedqos-bench: " + ", ".join(result["scenarios"]), "=")
    found += [*markdown.wrapped(words.run(result)), "", *markdown.command(result["command"]), ""]
    found += [*markdown.labelled(words.environment(result)), "", *markdown.variants(result), ""]
    for scenario, lines in by_scenario.items():
        found += _scenario(result, scenario, lines)
    for each in (*words.METHOD, "CV: standard deviation through mean, over the rounds."):
        found += [*markdown.wrapped(each), ""]
    return "\n".join(line.rstrip() for line in found).rstrip("\n") + "\n"


def values(result):
    """A line for each, with tabs between: scenario, metric, unit, variant, round, value."""
    found = [("scenario", "metric", "unit", "variant", "round", "value")]
    for scenario, described in result["scenarios"].items():
        for key, metric in described["metrics"].items():
            for name in figures.variants(result, scenario):
                found += [(scenario, key, metric.get("unit") or "", plain(name), number, value)
                          for number, value in figures.values(result, scenario, name, key).items()]
    return "".join("\t".join(map(str, row)) + "\n" for row in found)
