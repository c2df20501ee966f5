# SPDX-License-Identifier: GPL-2.0-only
"""Percentiles with their spread over the rounds."""

from ... import svg
from .. import figures
from . import WIDTH, rows, shown_name

_TEXTS = 240  # the width of the figures on the right


def _row(name, summary, axis, y, slot, unit):
    middle, values = summary["median"], summary["values"]
    shown, rounds = svg.quantity(middle, unit), []
    if len(values) > 1:
        shown += f"  ({svg.quantity(summary['min'], unit)} – {svg.quantity(summary['max'], unit)})"
        rounds = [svg.segment(axis.at(summary["min"]), y, axis.at(summary["max"]), y, svg.stroke(slot),
                              ' stroke-width="1.5" opacity="0.7"'),
                  *(svg.marker(axis.at(value), y, slot, 3, faint=True) for value in values)]
    return [svg.text(20, y + 4, shown_name(name), css=f"{svg.fill(slot)} strong"), *rounds,
            svg.marker(axis.at(middle), y, slot, 5.5, title=f"{name}: {shown}"), svg.text(axis.end + 16, y + 4, shown)]


def _of_rounds(by_variant, percent):
    """The spread over the rounds of those that have any above zero: the axis is logarithmic."""
    found = {name: figures.spread(one.get(percent) or None for one in each.rounds)
             for name, each in by_variant.items()}
    return {name: summary for name, summary in found.items() if summary}


def draw(title, by_variant, slot_of):
    """Each percentile of each round; their medians, and lines from the least to the most. None without any."""
    groups = {percent: _of_rounds(by_variant, percent) for percent in (*figures.PERCENTS, "max")}
    groups = {percent: found for percent, found in groups.items() if found}
    if not groups:
        return None
    unit, height = next(iter(by_variant.values())).unit, rows.height(map(len, groups.values()))
    values = [value for found in groups.values() for summary in found.values() for value in summary["values"]]
    axis, y = svg.Log(values, rows.left(by_variant), WIDTH - _TEXTS), rows.TOP
    parts = rows.frame(axis, height, lambda tick: svg.quantity(tick, unit),
                       f"{title} in each round (small) and their median (large)")
    for percent, found in groups.items():
        parts.append(svg.text(8, y + 20, "max" if percent == "max" else f"p{percent:g}", css="title"))
        y += rows.HEADING
        for name, summary in found.items():
            parts += _row(name, summary, axis, y + rows.ROW / 2, slot_of[name], unit)
            y += rows.ROW
    return svg.document(WIDTH, height, parts, title=f"percentiles of {title} with their spread over the rounds")
