# SPDX-License-Identifier: GPL-2.0-only
"""
A result as plain text of at most 72 columns, to be pasted into a mail to kernel developers in the shape that they use, with
all that speaks against it; and every value of every round beside it, as CSV.
"""

import csv
import io
import itertools
import math
import statistics

from ..escape import plain
from . import blocks, conclusion, excluding, figures, markdown, words

WIDTH = 72
_RULE = "=" * WIDTH
_LONGEST_NAME, _LONGEST_TITLE = 14, 30
_CSV = ("run", "scenario", "metric", "title", "unit", "better", "variant", "round", "warmup", "left_out", "value",
        "other_load", "steal_share", "throttled")


def _heading(text, rule="-"):
    lines = markdown.wrapped(text)
    return [*lines, rule * max(map(len, lines)), ""]


def _paragraphs(texts):
    return [line for text in texts for line in (*markdown.wrapped(text), "")]


def variation(values):
    """The coefficient of variation in percent; None where there is none."""
    mean = statistics.fmean(values) if values else 0
    if len(values) < 2 or mean <= 0:
        return None
    return 100 * math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1)) / mean


def _middle(summary):
    return summary["rate"] if "rate" in summary else summary["median"]


def improvement(mine, base, better):
    """In percent of the base: positive is better, and more where nothing is better."""
    if not base:
        return None
    change = 100 * (mine - base) / base
    return -change if better == figures.LOWER and change else change


def _percent(value, width):
    if value is None:
        return "-".rjust(width)
    return (f"{value:.2f}" if abs(value) < 1000 else f"{value:.0f}").rjust(width)


def _cell(cell, base, better):
    if not cell or not cell.summary:
        return "not measured"
    middle = _middle(cell.summary)
    change = improvement(middle, _middle(base.summary), better) if base and base.summary else None
    return f"{words.figure(middle)} [{_percent(change, 7)}]({_percent(variation(cell.summary['values']), 5)})"


def _labels(names):
    """{variant: its name, or a letter where that is too long for a column}."""
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return {name: plain(name) if len(plain(name)) <= _LONGEST_NAME else next(letters, "?") for name in names}


def _rows(lines, names, labels, width):
    """The lines of a table of some variants, of which the first is the base."""
    cells = [[_cell(line.cells.get(name), line.cells.get(line.reference), line.better) for name in names] for line in lines]
    head = [f"{labels[name]}[pct imp](CV)" for name in names]
    widths = [max(len(row[i]) for row in (head, *cells)) for i in range(len(names))]
    if width + sum(widths) + 2 * len(widths) > WIDTH and len(names) > 2:
        return None

    def row(first, others):
        return (first.ljust(width) + "".join("  " + cell.rjust(size) for cell, size in zip(others, widths))).rstrip()
    found = [row("Case:", head)]
    for line, shown in zip(lines, cells):
        title = " " + plain(line.title)
        found += [row(title, shown)] if len(title) <= width else [title[:WIDTH], row("", shown)]
    return found


def _table(lines, labels):
    """One column for each variant; if they do not fit, tables below each other, each with the base."""
    width = min(_LONGEST_TITLE, 1 + max(len(plain(line.title)) for line in lines))
    names = list(dict.fromkeys(name for line in lines for name in line.cells))
    base = lines[0].reference if lines[0].reference in names else names[0]
    rest, found = [name for name in names if name != base], []
    while True:
        count = len(rest)
        while (rows := _rows(lines, [base, *rest[:count]], labels, width)) is None:
            count -= 1
        found += rows
        rest = rest[max(1, count):]
        if not rest:
            return found
        found.append("")


def _units(line, result, scenario):
    better = {figures.LOWER: "Lower is better", figures.HIGHER: "Higher is better"}.get(line.better, "neither is better")
    rounds = {len(figures.rounds(result, scenario, name)) for name in line.cells}
    return [f"Units         : {line.unit or 'a number'}", f"Interpretation: {better}",
            f"Statistic     : median over {'-'.join(map(str, sorted(rounds)))} rounds"]


def _ratio(name, cell):
    text = f"  {plain(name)} {words.ratio(cell.ratio)}, {words.difference(cell.verdict)}"
    if cell.with_all:
        text += f"; all rounds {words.ratio(cell.with_all)}"
    if cell.by_run:
        text += "; by run " + ", ".join(f"{each.ratio:.2f}" if each else "-" for each in cell.by_run)
    return text


def _ratios(lines):
    found = ["Ratios in the same round, and their 95 % intervals:"]
    for line in lines:
        if any(cell.ratio or cell.with_all for cell in line.cells.values()):
            found += [f" {plain(line.title)}"[:WIDTH]]
            for name, cell in line.cells.items():
                if cell.ratio or cell.with_all:
                    found += markdown.wrapped_under(_ratio(name, cell), "    ")
    return [*found, ""] if len(found) > 1 else []


def _commands(described):
    return [line for argv in described["commands"].values() for line in markdown.command(argv)]


def _scenario(result, scenario, lines):
    described = result["scenarios"][scenario]
    found = [_RULE, *markdown.labelled([("Test          :", described.get("title") or scenario)]), _RULE, "",
             *_commands(described), ""]
    if described.get("tree"):
        found += [*markdown.labelled([("Tree:", described["tree"])]), ""]
    found += _paragraphs(words.counted(result, scenario))
    order = list(described["metrics"])
    lines = sorted(lines, key=lambda line: order.index(line.key))
    labels = _labels(figures.variants(result, scenario))
    found += [f"{label}: {plain(name)}" for name, label in labels.items() if label != plain(name)]
    for _, some in itertools.groupby(lines, lambda line: (line.unit, line.better, line.reference, len(line.cells))):
        some = list(some)
        found += [_RULE, *_units(some[0], result, scenario), _RULE, *_table(some, labels), ""]
    if not lines:
        found += ["No round of it was completed.", ""]
    found += _ratios(lines)
    note, block = blocks.announced(scenario)
    found += [*markdown.wrapped(note), "", *block, ""] if block else []
    counters = words.counters(result, scenario)
    found += ["What the kernel counted meanwhile, medians of a round:", *markdown.rows(counters), ""] if counters else []
    found += [*markdown.rows([words.COSTS, *([labels[name], *others] for name, *others in words.costs(result, scenario))]), ""]
    notes = words.notes(result, scenario)
    if not notes:
        return found + ["No notes on single rounds, and no heat, as far as that is counted.", ""]
    return found + ["Notes on single rounds:", *(line for note in notes for line in markdown.wrapped_under(note, "  ")), ""]


def _findings(result):
    found = [f"{each['what']}: {each['consequence']}" + (f" (remedy: {each['remedy']})" if each.get("remedy") else "")
             for each in result["findings"]]
    found += [f"Left out: {each['scenario']}: {each['reason']}" for each in result.get("skipped", [])]
    return _heading("What may spoil the result") + _paragraphs(found or ["Nothing was found beforehand."])


def text(result, by_scenario):
    """by_scenario is of figures.all_lines()."""
    found = _heading("schedqos-bench: " + ", ".join(result["scenarios"]), "=")
    found += _paragraphs([words.run(result), words.rule(result)])
    for each in result.get("runs") or [result]:
        found += [*markdown.command(each["command"]), ""]
    found += _findings(result) + [*markdown.labelled(words.environment(result)), "", *markdown.variants(result), ""]
    for scenario, lines in by_scenario.items():
        found += _scenario(result, scenario, lines)
    found += _heading("Method") + _paragraphs(
        [*words.METHOD, "pct imp: the change of the median in percent, positive if better. CV: standard deviation through "
         "mean in percent, over the rounds.", words.chance(figures.claims(by_scenario))])
    plainly = conclusion.of(result, by_scenario)
    found += _paragraphs([plainly]) if plainly else []
    return "\n".join(line.rstrip() for line in found).rstrip("\n") + "\n"


def values(result):
    """A line for each value, in the order of measuring."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(_CSV)
    out = {scenario: excluding.excluded(result, scenario) for scenario in result["scenarios"]}
    for each in result["rounds"]:
        scenario = each["scenario"]
        for key, value in each["metrics"].items():
            metric = result["scenarios"][scenario]["metrics"].get(key)
            if metric and value is not None:
                writer.writerow([each.get("run", 1), scenario, key, plain(metric.get("title") or key), metric.get("unit") or "",
                                 metric.get("better") or "", plain(each["variant"]), each["round"],
                                 int(bool(each.get("warmup"))), int(each["round"] in out[scenario]), value,
                                 each.get("other_load", ""), each.get("steal_share", ""), int(bool(each.get("throttled")))])
    return output.getvalue()
