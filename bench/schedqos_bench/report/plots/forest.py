# SPDX-License-Identifier: GPL-2.0-only
"""Ratios to the default, or another reference, with their intervals."""

from ... import drawing
from .. import figures, words
from . import rows

_FAR = 1e3  # far out, how far does not matter


def _near(value):
    return min(max(value, 1 / _FAR), _FAR)


def _row(axes, y, cell, slot):
    sure, middle = figures.is_claim(cell.verdict), _near(cell.ratio.ratio)
    if cell.ratio.low is not None:
        low, high = map(_near, cell.ratio[1:])
        axes.errorbar(middle, y, xerr=[[middle - low], [high - middle]], color=drawing.colour(slot), elinewidth=2.5,
                      capsize=4)
    axes.plot(middle, y, **drawing.median(slot, **({} if sure else {"markerfacecolor": drawing.PAPER})))
    rows.note(axes, y, words.ratio(cell.ratio))
    rows.note(axes, y, cell.verdict, 175, **({"weight": "semibold"} if sure else {"color": drawing.SOFT}))


def draw(lines, slot_of):
    """Of all metrics; filled where a difference has been shown. None without ratios."""
    groups = [(line, {name: cell for name, cell in line.cells.items() if cell.ratio}) for line in lines]
    groups = [(line, cells) for line, cells in groups if cells]
    if not groups:
        return None
    axes, places = rows.axes([(words.line(line._replace(unit="")), cells) for line, cells in groups], slot_of)
    axes.axvline(1, color=drawing.AXIS, linewidth=2)
    for (_, cells), group in zip(groups, places):
        for (name, cell), y in zip(cells.items(), group):
            _row(axes, y, cell, slot_of[name])
    drawing.log_ticks(axes.xaxis, "")
    axes.set_xlabel(f"ratio to {words.base(lines)} (line: 95 % interval)")
    return axes.figure
