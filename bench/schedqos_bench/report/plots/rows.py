# SPDX-License-Identifier: GPL-2.0-only
"""Plots of rows under headings: one row for each variant, names on the left and figures on the right."""

from ... import svg
from . import shown_name

ROW, HEADING, TOP, BOTTOM = 19, 30, 6, 40


def left(names):
    """Where the plot begins, right of the names."""
    return max(150, 30 + max(svg.width_of(shown_name(name), bold=True) for name in names))


def height(counts):
    """Of so many rows under each heading."""
    return TOP + sum(HEADING + ROW * count for count in counts) + BOTTOM + 4


def frame(axis, total, tick_text, title):
    """Lines down the rows, and the axis under them."""
    bottom = total - BOTTOM
    parts = [svg.text((axis.start + axis.end) / 2, total - 6, title, "middle")]
    for tick in axis.ticks():
        x = axis.at(tick)
        parts += [svg.segment(x, TOP + 12, x, bottom, "grid"),
                  svg.text(x, bottom + 17, tick_text(tick), "middle", "soft")]
    return parts
