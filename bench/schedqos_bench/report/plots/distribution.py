# SPDX-License-Identifier: GPL-2.0-only
"""
The distribution function, with the latency upwards: its tail, which matters, then has all the width. The scale along it
counts nines: 90 %, 99 %, 99.9 % are equally far apart.
"""

import math

from ... import drawing

_TICKS = (50, 90, 99, 99.9, 99.99, 99.999, 99.9999)


def _nines(percent):
    return -math.log10(1 - percent / 100)


def _last(each):
    """Where the longest of the samples stands; not knowing how many there were, one step behind the last percentile."""
    if each.samples > 1:
        return _nines(100 * (1 - 0.5 / each.samples))
    return _nines(max((percent for percent, _ in each.curve if percent < 100), default=0)) + 0.3


def _points(each):
    points = [(_nines(percent), value) for percent, value in each.curve if 1 <= percent < 100]
    if each.most is not None:
        points.append((max([_last(each), *(at for at, _ in points)]), each.most))
    return points


def _least(by_variant, values):
    """The shortest latencies are of no interest, and would take half of the picture."""
    starts = [each.overall.get(50) for each in by_variant.values() if each.overall.get(50)]
    return max(min(values), min(starts) / 3) if starts else min(values)


def draw(title, by_variant, slot_of):
    """Of all variants; None if there is nothing to draw."""
    points = {name: _points(each) for name, each in by_variant.items()}
    values = [value for each in points.values() for _, value in each if value > 0]
    if not values:
        return None
    figure = drawing.figure(drawing.WIDTH, 400)
    axes = figure.subplots()
    axes.set_yscale("log")
    lines = {}
    # The names stand in the order in which the lines end.
    for name in sorted(filter(points.get, points), key=lambda name: -points[name][-1][1]):
        dots = {} if by_variant[name].pooled else drawing.marks(slot_of[name], 7)
        lines[name] = axes.plot(*zip(*points[name]), **{**dots, **drawing.line(slot_of[name])})
    axes.set_xlim(0, 1.01 * max(at for each in points.values() for at, _ in each))
    axes.set_ylim(bottom=_least(by_variant, values) / 1.1)
    axes.set_xticks(*zip(*((_nines(percent), f"{percent:g} %") for percent in _TICKS
                           if _nines(percent) <= axes.get_xlim()[1])))
    drawing.log_ticks(axes.yaxis, next(iter(by_variant.values())).unit)
    axes.set(xlabel="share of all that took no longer (percentile)", ylabel=title)
    drawing.legend(axes, lines)
    return figure
