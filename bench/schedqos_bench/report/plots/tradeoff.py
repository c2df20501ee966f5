# SPDX-License-Identifier: GPL-2.0-only
"""What one metric costs in another: a point for each round."""

from ... import drawing
from .. import figures


def _pairs(result, scenario, x_key, y_key):
    """{variant: [(x, y) of each round that has both]}"""
    found = {}
    for variant in figures.variants(result, scenario):
        xs, ys = (figures.values(result, scenario, variant, key) for key in (x_key, y_key))
        pairs = [(xs[number], ys[number]) for number in xs if number in ys]
        if pairs:
            found[variant] = pairs
    return found


def _title(metric):
    """A time says its unit at each tick."""
    unit = metric.get("unit")
    return (metric.get("title") or "") + (f" ({unit})" if unit and not drawing.is_time(unit) else "")


def _panel(axes, points, background, metric, slot_of):
    """The rounds small, their medians large. Returns what stands for each variant."""
    shown = {}
    for name, each in points.items():
        xs, ys = zip(*each)
        if len(each) > 1:
            axes.plot(xs, ys, **drawing.rounds(slot_of[name]))
        shown[name] = axes.plot(*(figures.spread(values)["median"] for values in (xs, ys)),
                                **drawing.median(slot_of[name]))
    lower = metric.get("better") == figures.LOWER
    axes.margins(0.12)
    axes.xaxis.set_major_formatter(drawing.formatter(background.get("unit")))
    axes.yaxis.set_major_formatter(drawing.formatter(metric.get("unit")))
    if lower and all(y > 0 for each in points.values() for _, y in each):
        axes.set_yscale("log")
        drawing.log_ticks(axes.yaxis, metric.get("unit"))
    axes.set(xlabel=_title(background), ylabel=_title(metric))
    axes.set_title(f"best: {'bottom' if lower else 'top'} right", loc="right", size=12, color=drawing.SOFT,
                   weight="normal")
    return shown


def draw(result, scenario, slot_of):
    """
    Throughput and latency against what the background gets, of a scenario that weighs them against each other. None of
    another.
    """
    described = result["scenarios"][scenario]
    axes, metrics = described.get("axes") or {}, described["metrics"]
    background = axes.get("background")
    found = {key: _pairs(result, scenario, background, key)
             for key in (axes.get("throughput"), axes.get("latency")) if {background, key} <= metrics.keys()}
    found = {key: points for key, points in found.items() if points}
    if not found:
        return None
    figure = drawing.figure(drawing.WIDTH, 340)
    panels, shown = figure.subplots(1, len(found), squeeze=False)[0], {}
    for panel, (key, points) in zip(panels, found.items()):
        shown.update(_panel(panel, points, metrics[background], metrics[key], slot_of))
    drawing.legend(panels[-1], shown)
    return figure
