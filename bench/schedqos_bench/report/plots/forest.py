# SPDX-License-Identifier: GPL-2.0-only
"""Ratios to the default with their intervals."""

from ... import svg
from ...escape import markup
from .. import figures, words
from . import WIDTH, rows, shown_name

_TEXTS = 290  # the width of the figures on the right
_FAR = 1e3  # far out, how far does not matter


def _interval(interval, axis, y, slot):
    low, high = (axis.at(min(max(value, 1 / _FAR), _FAR)) for value in interval[1:])
    return [svg.segment(low, y, high, y, svg.stroke(slot), ' stroke-width="2.5"'),
            *(svg.segment(x, y - 4, x, y + 4, svg.stroke(slot), ' stroke-width="1.5"') for x in (low, high))]


def _row(name, cell, axis, y, slot):
    sure = figures.is_claim(cell.verdict)
    found = [svg.text(20, y + 4, shown_name(name), css=f"{svg.fill(slot)} strong")]
    if cell.ratio.low is not None:
        found += _interval(cell.ratio, axis, y, slot)
    middle = axis.at(min(max(cell.ratio.ratio, 1 / _FAR), _FAR))
    return [*found, svg.marker(middle, y, slot, 5, hollow=not sure, title=f"{name}: {words.ratio(cell.ratio)}"),
            svg.text(axis.end + 16, y + 4, words.ratio(cell.ratio)),
            svg.text(WIDTH - 4, y + 4, cell.verdict, "end", "strong" if sure else "soft")]


def _heading(line, y):
    about = f" – {line.better} is better" if line.better in (figures.LOWER, figures.HIGHER) else ""
    return (f'<text x="8" y="{y}" class="title">{markup(line.title)}'
            f'<tspan class="soft" style="font-weight:400;font-size:12px">{markup(about)}</tspan></text>')


def _axis(groups, left):
    """With 1 on it, always."""
    values = [value for cells in groups for cell in cells.values() for value in cell.ratio if value is not None]
    return svg.Log([1.0, *(min(max(value, 1 / _FAR), _FAR) for value in values)], left, WIDTH - _TEXTS)


def draw(lines, slot_of):
    """Of all metrics; filled where a difference has been shown. None without ratios."""
    groups = [(line, {name: cell for name, cell in line.cells.items() if cell.ratio}) for line in lines]
    groups = [(line, cells) for line, cells in groups if cells]
    if not groups:
        return None
    left = rows.left({name for _, cells in groups for name in cells})
    height = rows.height(len(cells) for _, cells in groups)
    axis, y = _axis([cells for _, cells in groups], left), rows.TOP
    parts = [*rows.frame(axis, height, lambda tick: f"{tick:g}", "ratio to the default (line: 95 % interval)"),
             svg.segment(axis.at(1), rows.TOP + 12, axis.at(1), height - rows.BOTTOM, "axis", ' stroke-width="2"')]
    for line, cells in groups:
        parts.append(_heading(line, y + 20))
        y += rows.HEADING
        for name, cell in cells.items():
            parts += _row(name, cell, axis, y + rows.ROW / 2, slot_of[name])
            y += rows.ROW
    return svg.document(WIDTH, height, parts, title="ratios to the default with their intervals")
