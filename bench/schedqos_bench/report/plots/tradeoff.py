# SPDX-License-Identifier: GPL-2.0-only
"""What one metric costs in another: a point for each round."""

from ... import svg
from .. import figures
from . import WIDTH, shown_name

_HEIGHT = 340


def _points(points, x_axis, y_axis, slot_of):
    """The rounds small, their medians large and labelled."""
    rounds, medians, labels = [], [], svg.Labels(x_axis.start, y_axis.end, x_axis.end, y_axis.start)
    centres = {name: [figures.spread(values)["median"] for values in zip(*each)] for name, each in points.items()}
    centres = {name: (x_axis.at(x), y_axis.at(y)) for name, (x, y) in centres.items()}
    for name, each in points.items():
        labels.block(*centres[name], 6)
        for x, y in each if len(each) > 1 else ():
            labels.block(x_axis.at(x), y_axis.at(y), 2)
            rounds.append(svg.marker(x_axis.at(x), y_axis.at(y), slot_of[name], 3, faint=True))
    for name, place in centres.items():
        medians += [svg.marker(*place, slot_of[name], 6.5, title=name),
                    labels.place(*place, shown_name(name), slot_of[name])]
    return rounds + medians


def _texts(axis, unit):
    """Of its ticks; a time says its unit at each of them, and others have it in the axis's title."""
    return {tick: svg.quantity(tick, unit) if svg.is_time(unit) else svg.number(tick) for tick in axis.ticks()}


def draw(points, units, titles, slot_of, log_y=False, note="", width=WIDTH // 2 - 6):
    """points: {name: [(x, y), ...]}; units and titles: those of both axes; note: which corner is the best."""
    left, top, right, bottom = 76, 26, width - 16, _HEIGHT - 52
    ys = [y for each in points.values() for _, y in each]
    x_axis = svg.Linear([x for each in points.values() for x, _ in each], left, right)
    y_axis = svg.Log(ys, bottom, top, margin=0.12) if log_y else svg.Linear(ys, bottom, top)
    titles = [title if not unit or svg.is_time(unit) else f"{title} ({unit})" for title, unit in zip(titles, units)]
    parts = [*svg.grid(x_axis, y_axis, *map(_texts, (x_axis, y_axis), units)),
             *svg.axis_titles(x_axis, y_axis, *titles), svg.text(right, top - 10, note, "end", "soft"),
              *_points(points, x_axis, y_axis, slot_of)]
    return svg.document(width, _HEIGHT, parts, title=f"{titles[1]} against {titles[0]}")


def _pairs(result, scenario, x_key, y_key):
    found = {}
    for variant in figures.variants(result, scenario):
        xs, ys = (figures.values(result, scenario, variant, key) for key in (x_key, y_key))
        pairs = [(xs[number], ys[number]) for number in xs if number in ys]
        if pairs:
            found[variant] = pairs
    return found


def of_scenario(result, scenario, slot_of):
    """Throughput and latency against what the background gets, of a scenario that weighs them against each other."""
    described = result["scenarios"][scenario]
    axes, metrics = described.get("axes") or {}, described["metrics"]
    background = axes.get("background")
    found = {key: _pairs(result, scenario, background, key)
             for key in (axes.get("throughput"), axes.get("latency")) if {background, key} <= metrics.keys()}
    found = {key: points for key, points in found.items() if points}
    width = WIDTH // 2 - 6 if len(found) > 1 else WIDTH * 3 // 4
    pictures = []
    for key, points in found.items():
        lower = metrics[key].get("better") == figures.LOWER
        log_y = lower and all(y > 0 for each in points.values() for _, y in each)
        units = [metrics[name].get("unit") or "" for name in (background, key)]
        titles = [metrics[name].get("title") or name for name in (background, key)]
        best = f"best: {'bottom' if lower else 'top'} right"
        pictures.append(draw(points, units, titles, slot_of, log_y, best, width))
    return pictures
