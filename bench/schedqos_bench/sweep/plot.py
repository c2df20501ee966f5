# SPDX-License-Identifier: GPL-2.0-only
"""The front as a picture: throughput and background, each against latency, all as ratios to the reference."""

from .. import drawing


def _panel(axes, points, shown, x, y):
    """Returns what stands for each that is shown."""
    drawn = {name: axes.plot(points[name][x], points[name][y], **drawing.median(slot))
             for slot, name in enumerate(shown)}
    others = [(each[x], each[y]) for name, each in points.items() if name not in shown]
    return {**drawn, "others": axes.plot(*zip(*others), **drawing.rounds(0))} if others else drawn


def draw(title, points, front, reference, titles):
    """points: {name: {axis: ratio}}; titles: {axis: text}, the axes that there are; the first is the latency."""
    latency, *others = titles
    points = {**points, reference: dict.fromkeys(titles, 1.0)}
    figure = drawing.figure(390 * len(others) + 130, 400)
    figure.suptitle(title, x=0.01, ha="left", size=14, weight="semibold")
    panels = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, axis in zip(panels, others):
        axes.set_xscale("log")
        shown = _panel(axes, points, [reference, *front], latency, axis)
        axes.margins(0.08)
        drawing.log_ticks(axes.xaxis, "")
        axes.yaxis.set_major_formatter(drawing.formatter(""))
        axes.set(xlabel=titles[latency], ylabel=titles[axis])
        axes.set_title("best: top left", loc="right", size=12, color=drawing.SOFT, weight="normal")
    drawing.legend(panels[-1], shown)
    return drawing.svg(figure, title, alone=True)
