# SPDX-License-Identifier: GPL-2.0-only
"""Line charts with logarithmic axes, side by side in one picture."""

import math

from .. import drawing


def _draw(axes, title, x_label, y_label, lines):
    axes.set(title=title, xlabel=x_label, ylabel=y_label, xscale="log", yscale="log")
    # A logarithmic axis has no zero.
    lines = {name: [(x, y) for x, y in points if x > 0 and y and y > 0] for name, points in lines.items()}
    drawn = {name: axes.plot(*zip(*points), **{**drawing.marks(slot, 7), **drawing.line(slot)})
             for slot, (name, points) in enumerate(lines.items(), 1) if points}
    if not drawn:
        axes.set_axis_off()
    else:
        for axis in (axes.xaxis, axes.yaxis):
            drawing.log_ticks(axis, "")
        # The names stand in the order in which the lines end.
        drawing.legend(axes, dict(sorted(drawn.items(), key=lambda each: -lines[each[0]][-1][1])))


def draw(charts, columns=2):
    """The picture as text. charts: of (title, x label, y label, {name of a line: [(x, y), ...]})"""
    rows = math.ceil(len(charts) / columns)
    figure = drawing.figure(520 * columns, 300 * rows)
    for axes, chart in zip(figure.subplots(rows, columns, squeeze=False).flat, charts):
        _draw(axes, *chart)
    return drawing.svg(figure, "; ".join(title for title, *_ in charts), alone=True)
