# SPDX-License-Identifier: GPL-2.0-only
"""Which of several is best where there is more than one goal: Pareto fronts."""

import math
import statistics


def gains(ratios, axes):
    """Ratios to the reference, turned so that more is better. axes: {axis: "lower" or "higher"}."""
    return tuple(ratios[axis] if better == "higher" else 1 / ratios[axis] for axis, better in axes.items())


def dominates(one, other):
    """Nowhere worse, and somewhere better."""
    return all(a >= b for a, b in zip(one, other)) and one != other


def front(points):
    """points: {name: gains}. The names of those that nothing else is better than in everything."""
    return [name for name, gain in points.items() if not any(dominates(other, gain) for other in points.values())]


def _crowding(points):
    """{name: how far apart its neighbours are, as a share of the range}; infinite at the ends."""
    distance = dict.fromkeys(points, 0.0)
    for axis in range(len(next(iter(points.values())))):
        order = sorted(points, key=lambda name: points[name][axis])
        low, high = points[order[0]][axis], points[order[-1]][axis]
        distance[order[0]] = distance[order[-1]] = math.inf
        for before, name, after in zip(order, order[1:], order[2:]):
            distance[name] += (points[after][axis] - points[before][axis]) / (high - low or 1)
    return distance


def best(points, count):
    """So many of them: front after front, and of the last that fits in part those that have the fewest neighbours."""
    chosen, rest = [], dict(points)
    while rest and len(chosen) < count:
        layer = {name: rest.pop(name) for name in front(rest)}
        distance = _crowding(layer)
        chosen += sorted(layer, key=distance.get, reverse=True)[:count - len(chosen)]
    return chosen


def medians(samples):
    """Of a list of {axis: ratio}, axis by axis."""
    return {axis: statistics.median(sample[axis] for sample in samples) for axis in samples[0]}
