# SPDX-License-Identifier: GPL-2.0-only
"""Percentiles with their spread over the rounds."""

from ... import drawing
from .. import figures
from . import rows


def _row(axes, y, summary, slot, unit):
    shown = drawing.quantity(summary["median"], unit)
    if len(summary["values"]) > 1:
        least, most = summary["min"], summary["max"]
        shown += f"  ({drawing.quantity(least, unit)} – {drawing.quantity(most, unit)})"
        axes.hlines(y, least, most, drawing.colour(slot), linewidth=1.5, alpha=0.7)
        axes.plot(summary["values"], [y] * len(summary["values"]), **drawing.rounds(slot))
    axes.plot(summary["median"], y, **drawing.median(slot))
    rows.note(axes, y, shown)


def _of_rounds(by_variant, percent):
    """The spread over the rounds of those that have any above zero: the axis is logarithmic."""
    found = {name: figures.spread(one.get(percent) or None for one in each.rounds)
             for name, each in by_variant.items()}
    return {name: summary for name, summary in found.items() if summary}


def draw(title, by_variant, slot_of):
    """Each percentile of each round; their medians, and lines from the least to the most. None without any."""
    groups = {"max" if percent == "max" else f"p{percent:g}": _of_rounds(by_variant, percent)
              for percent in (*figures.PERCENTS, "max")}
    groups = {heading: found for heading, found in groups.items() if found}
    if not groups:
        return None
    unit = next(iter(by_variant.values())).unit
    axes, places = rows.axes(groups.items(), slot_of)
    for found, group in zip(groups.values(), places):
        for (name, summary), y in zip(found.items(), group):
            _row(axes, y, summary, slot_of[name], unit)
    drawing.log_ticks(axes.xaxis, unit)
    axes.set_xlabel(f"{title} in each round (small) and their median (large)")
    return axes.figure
