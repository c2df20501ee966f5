# SPDX-License-Identifier: GPL-2.0-only
"""The front as a picture: throughput and background, each against latency, all as ratios to the reference."""

from .. import svg

WIDTH, HEIGHT = 430, 400
_REFERENCE, _FRONT, _OTHERS = 0, 1, 2


def _grid(x_axis, y_axis, x_label, y_label):
    parts = []
    for tick in x_axis.ticks():
        x = x_axis.at(tick)
        parts += [svg.segment(x, y_axis.start, x, y_axis.end, "grid"),
                  svg.text(x, y_axis.start + 17, f"{tick:g}", "middle", "soft")]
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        parts += [svg.segment(x_axis.start, y, x_axis.end, y, "grid"),
                  svg.text(x_axis.start - 8, y + 4, f"{tick:g}", "end", "soft")]
    return parts + [svg.text((x_axis.start + x_axis.end) / 2, y_axis.start + 40, x_label, "middle"),
                    svg.down(x_axis.start - 46, (y_axis.start + y_axis.end) / 2, y_label),
                    svg.text(x_axis.end, y_axis.end - 8, "best: top left", "end", "soft")]


def _panel(left, points, front, reference, x, y, titles):
    """points: {name: {axis: ratio}}; x and y are axes."""
    places = [*points.values(), {x: 1.0, y: 1.0}]
    x_axis = svg.Log([each[x] for each in places], left + 64, left + WIDTH - 12)
    y_axis = svg.Linear([each[y] for each in places], HEIGHT - 52, 58)
    parts = _grid(x_axis, y_axis, titles[x], titles[y])
    labels = svg.Labels(x_axis.start, y_axis.end, x_axis.end, y_axis.start)
    placed = {name: (x_axis.at(each[x]), y_axis.at(each[y])) for name, each in points.items()}
    placed[reference] = x_axis.at(1), y_axis.at(1)
    for place in placed.values():
        labels.block(*place, 5)
    for name, place in placed.items():
        if name not in front and name != reference:
            parts.append(svg.marker(*place, _OTHERS, 3.5, faint=True, title=name))
    for name, slot in [(reference, _REFERENCE), *((name, _FRONT) for name in front)]:
        parts += [svg.marker(*placed[name], slot, 5.5, title=name), labels.place(*placed[name], name, slot)]
    return parts


def draw(title, points, front, reference, titles):
    """titles: {axis: text}, the axes that there are; the first is the latency."""
    latency, *others = titles
    parts = [svg.text(18, 24, title, css="title")]
    for number, axis in enumerate(others):
        parts += _panel(number * WIDTH, points, front, reference, latency, axis, titles)
    return svg.document(WIDTH * len(others), HEIGHT, parts, alone=True, title=title)
