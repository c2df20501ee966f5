# SPDX-License-Identifier: GPL-2.0-only
"""Line charts with logarithmic axes as SVG, side by side in one picture: no plotting library needed."""

import math
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 460, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 36, 84
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


class Chart(NamedTuple):
    title: str
    x_label: str
    y_label: str
    lines: dict  # name to a list of (x, y)


class _Axis:
    """Whole decades around the values, drawn from start to end."""

    def __init__(self, values, start, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.start, self.end = start, end

    def at(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        return [10.0 ** exponent for exponent in range(self.low, self.high + 1)]


def _text(x, y, text, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def _number(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _grid(x_axis, y_axis):
    parts = []
    for tick in x_axis.ticks():
        x = x_axis.at(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {y_axis.start}V{y_axis.end}"/>')
        parts.append(_text(x, y_axis.start + 16, _number(tick)))
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        parts.append(f'<path class="grid" d="M{x_axis.start} {y:.1f}H{x_axis.end}"/>')
        parts.append(_text(x_axis.start - 6, y + 4, _number(tick), "end"))
    return parts


def _line(points, x_axis, y_axis, colour):
    places = [(x_axis.at(x), y_axis.at(y)) for x, y in points]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    return [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def _chart(chart, left, top):
    # A logarithmic axis has no zero.
    lines = {name: [(x, y) for x, y in points if x > 0 and y and y > 0]
             for name, points in chart.lines.items()}
    lines = {name: points for name, points in lines.items() if points}
    parts = [f'<g transform="translate({left},{top})">',
             _text(WIDTH / 2, 20, chart.title, extra=' class="title"')]
    if lines:
        points = [point for each in lines.values() for point in each]
        x_axis = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
        y_axis = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
        parts += _grid(x_axis, y_axis)
        middle = (y_axis.start + y_axis.end) / 2
        parts.append(_text((LEFT + WIDTH - RIGHT) / 2, y_axis.start + 34, chart.x_label))
        parts.append(_text(14, middle, chart.y_label,
                           extra=f' transform="rotate(-90 14 {middle:.1f})"'))
        for i, (name, each) in enumerate(lines.items()):
            colour = COLOURS[i % len(COLOURS)]
            parts += _line(each, x_axis, y_axis, colour)
            parts.append(_text(LEFT + (i % 3) * 130, y_axis.start + 52 + i // 3 * 16, name, "start",
                               f' style="fill:{colour}"'))
    return [*parts, "</g>"]


def draw(charts, columns=2):
    """The picture as text."""
    rows = math.ceil(len(charts) / columns)
    width, height = WIDTH * columns, HEIGHT * rows
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}">',
             "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold;font-size:14px}"
             ".grid{stroke:#ddd}</style>",
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, chart in enumerate(charts):
        parts += _chart(chart, i % columns * WIDTH, i // columns * HEIGHT)
    return "\n".join([*parts, "</svg>"]) + "\n"
