# SPDX-License-Identifier: GPL-2.0-only
"""
The distribution function, with the latency upwards: its tail, which matters, then has all the width. The scale along it
counts nines: 90 %, 99 %, 99.9 % are equally far apart.
"""

import math

from ... import svg
from . import WIDTH, room, shown_name

_HEIGHT = 400
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


def _places(points, x_axis, y_axis, least):
    """What lies within half a pixel of the point before adds nothing."""
    places = []
    for at, value in points:
        place = (x_axis.at(at), y_axis.at(max(value, least)))
        if not places or abs(place[0] - places[-1][0]) + abs(place[1] - places[-1][1]) >= 0.5:
            places.append(place)
    return places


def _least(by_variant, values):
    """Nobody asks for the shortest latencies of all: they would take half of the picture."""
    starts = [each.overall.get(50) for each in by_variant.values() if each.overall.get(50)]
    return max(min(values), min(starts) / 3) if starts else min(values)


def _lines(by_variant, points, x_axis, y_axis, least, slot_of):
    """With their names at their ends."""
    parts = []
    places = {name: _places(each, x_axis, y_axis, least) for name, each in points.items()}
    heights = svg.spread_labels([each[-1][1] for each in places.values()], y_axis.end + 4, y_axis.start)
    for (name, each), y in zip(places.items(), heights):
        slot = slot_of[name]
        parts.append(svg.curve(each, slot, 2.2))
        if not by_variant[name].pooled:
            parts += [svg.marker(*place, slot, 3.5) for place in each]
        parts += [svg.segment(*each[-1], x_axis.end + 14, y, svg.stroke(slot), ' opacity="0.5"'),
                  svg.text(x_axis.end + 18, y + 4, shown_name(name), css=f"{svg.fill(slot)} strong")]
    return parts


def draw(title, by_variant, slot_of):
    """Of all variants; None if there is nothing to draw."""
    points = {name: _points(each) for name, each in by_variant.items()}
    values = [value for each in points.values() for _, value in each if value > 0]
    if not values:
        return None
    unit, least = next(iter(by_variant.values())).unit, _least(by_variant, values)
    last = max(at for each in points.values() for at, _ in each)
    x_axis = svg.Linear([0, last], 86, WIDTH - room(by_variant) - 26, margin=0)
    y_axis = svg.Log([value for value in values if value >= least], _HEIGHT - 58, 20)
    shares = {_nines(percent): f"{percent:g} %" for percent in _TICKS if _nines(percent) <= x_axis.high}
    parts = [*svg.grid(x_axis, y_axis, shares, {tick: svg.quantity(tick, unit) for tick in y_axis.ticks()}),
             *svg.axis_titles(x_axis, y_axis, "share of all that took no longer (percentile)", title),
             *_lines(by_variant, points, x_axis, y_axis, least, slot_of)]
    return svg.document(WIDTH, _HEIGHT, parts, title=f"distribution of {title}")
