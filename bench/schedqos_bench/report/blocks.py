# SPDX-License-Identifier: GPL-2.0-only
"""A scenario's results in the shapes in which they were first published: lists of lines, in plain ASCII."""

import textwrap

from ..announced import DIFFERENCES, FIGURES
from ..escape import plain
from ..stats import has_enough
from . import figures, words

_SCHBENCH = (("wakeup", "Wakeup Latencies percentiles (usec)", 99.0),
             ("request", "Request Latencies percentiles (usec)", 99.0), ("rps", "RPS percentiles (requests)", 50.0))


def cyclictest(printed):
    return [f"# {name} Latencies: {round(printed[name.lower()]):05d}" for name in ("Min", "Avg", "Max")]


def _percentiles(title, starred, block):
    found = [f"{title} runtime {block['runtime']} (s) ({block['samples']} total samples)"]
    for percent, value, samples in block["percentiles"]:
        if "Latencies" in title and not has_enough(block["samples"], percent):
            continue
        star = "*" if percent == starred else " "
        found.append(f"    {star} {percent:4.1f}th: {value:<10} ({samples} samples)")
    return found + [f"      min={block['min']}, max={block['max']}"]


def schbench(printed):
    found = [line for key, title, starred in _SCHBENCH for line in _percentiles(title, starred, printed[key])]
    return found + [f"average rps: {printed['rps']['average']:.2f}"]


_PRINTERS = {"cyclictest": cyclictest, "schbench": schbench}


def _headline(result, scenario):
    metrics = result["scenarios"][scenario]["metrics"]
    return next((metric.get("title") or key for key, metric in metrics.items() if metric.get("headline")), "number")


def _as_printed(result, scenario):
    found = []
    for variant in figures.variants(result, scenario):
        each = figures.typical_round(result, scenario, variant)
        name = "Default" if variant == figures.DEFAULT else f"With {plain(variant)}"
        of = len(figures.rounds(result, scenario, variant))
        lines = _PRINTERS[scenario](each["printed"]) if each else ["not measured"]
        found += [f"{name} (round {each['round']} of {of}):" if each else f"{name}:", "", *lines, ""]
    return found[:-1]


def _columns(rows, gap=3):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [(" " * gap).join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def _table(name, by_variant):
    percents = [percent for percent in figures.PERCENTS
                if all(percent in each.overall for each in by_variant.values())]
    rows = [[plain(name), *(f"p{percent:g}" for percent in percents), "max"]]
    for variant, each in by_variant.items():
        shown = [each.overall[percent] for percent in percents] + [each.overall["max"]]
        rows.append([plain(variant),
                     *("-" if value is None else words.duration(value, each.unit) for value in shown)])
    return _columns(rows)


def _tables(result, scenario):
    found = []
    for name, by_variant in figures.distributions(result, scenario).items():
        found += [*_table(name, by_variant), ""]
    return found[:-1]


def announced(scenario):
    """The announcement's own figures of a scenario, and in what ours differ."""
    columns = FIGURES.get(scenario)
    if not columns:
        return "", []
    rows = [["", *columns]] + [[name, *(words.figure(column[name]) for column in columns.values())]
                               for name in next(iter(columns.values()))]
    differences = [line for each in DIFFERENCES[scenario] for line in textwrap.wrap("- " + each, 72, subsequent_indent="  ")]
    return "The announcement's own figures (14 April 2026), and in what ours differ:", [*_columns(rows), "", *differences]


def of(result, scenario):
    """A sentence on what these are, and the lines."""
    printed = any(figures.typical_round(result, scenario, name) for name in figures.variants(result, scenario))
    if scenario in _PRINTERS and printed:
        return (f"As printed in one round of each variant: the one whose {_headline(result, scenario)} is the median "
                "(percentiles as printed cannot be added up over rounds).", _as_printed(result, scenario))
    pooled = any(each.pooled for by_variant in figures.distributions(result, scenario).values()
                 for each in by_variant.values())
    return ("Percentiles of the samples of all rounds together." if pooled else
            "Percentiles: medians of those of the rounds."), _tables(result, scenario)
