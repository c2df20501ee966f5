# SPDX-License-Identifier: GPL-2.0-only
"""Line charts with logarithmic axes, side by side in one picture."""

import math
from typing import NamedTuple

from .. import svg

WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 130, 40, 50


class Chart(NamedTuple):
    title: str
    x_label: str
    y_label: str
    lines: dict  # name to a list of (x, y)


def _axes(chart, points):
    x_axis = svg.Log([x for x, _ in points], LEFT, WIDTH - RIGHT)
    y_axis = svg.Log([y for _, y in points], HEIGHT - BOTTOM, TOP)
    return x_axis, y_axis, [
        *svg.grid(x_axis, y_axis, *({tick: svg.number(tick) for tick in axis.ticks()} for axis in (x_axis, y_axis))),
        *svg.axis_titles(x_axis, y_axis, chart.x_label, chart.y_label)]


def _chart(chart, left, top):
    # A logarithmic axis has no zero.
    lines = {name: [(x, y) for x, y in points if x > 0 and y and y > 0] for name, points in chart.lines.items()}
    lines = {name: points for name, points in lines.items() if points}
    parts = [f'<g transform="translate({left},{top})">', svg.text(LEFT, 22, chart.title, css="title")]
    if lines:
        x_axis, y_axis, frame = _axes(chart, [point for points in lines.values() for point in points])
        parts += frame
        places = {name: [(x_axis.at(x), y_axis.at(y)) for x, y in points] for name, points in lines.items()}
        heights = svg.spread_labels([points[-1][1] for points in places.values()], TOP, HEIGHT - BOTTOM)
        for slot, (name, points), height in zip(range(1, len(places) + 1), places.items(), heights):
            parts += [svg.curve(points, slot), *(svg.marker(x, y, slot, 3.5) for x, y in points),
                      svg.segment(*points[-1], WIDTH - RIGHT + 6, height, svg.stroke(slot), ' opacity="0.5"'),
                      svg.text(WIDTH - RIGHT + 9, height + 4, name, css=f"{svg.fill(slot)} strong")]
    return [*parts, "</g>"]


def draw(charts, columns=2):
    """The picture as text."""
    parts = []
    for i, chart in enumerate(charts):
        parts += _chart(chart, i % columns * WIDTH, i // columns * HEIGHT)
    return svg.document(WIDTH * columns, HEIGHT * math.ceil(len(charts) / columns), parts, alone=True,
                        title="; ".join(chart.title for chart in charts))
