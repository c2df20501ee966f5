# SPDX-License-Identifier: GPL-2.0-only
"""
The search: passes over candidates, each measured between two rounds of the reference, until time runs out.

A machine changes while a search goes on for an hour. So what counts is a candidate's ratio to the reference rounds next
before and after it.
"""

import time
from typing import Any, NamedTuple

from ..process import Failure
from . import front

GROUP = 4  # candidates between two rounds of the reference
RANDOM_PASSES = 3  # that a random search is to have time for
HALVING_STAGES = 3
LEAST = 4  # candidates in the last stage: a front has more than one end


class Search(NamedTuple):
    measure: Any  # measure(candidate's name, or None for the reference): {axis: value}, or None if it fails
    axes: dict  # {axis: "lower" or "higher"}
    chance: Any  # random.Random
    end: float  # of time.monotonic()
    samples: dict  # {candidate: [{axis: ratio}, ...]}: what is found
    note: Any  # note(samples): called after each pass


def rounds_of_pass(count):
    """With those of the reference."""
    return count + -(-count // GROUP) + 1


def fitting(seconds, cost, passes=1):
    """How many candidates so many passes have time for."""
    count = 0
    while rounds_of_pass(count + 1) * cost * passes <= seconds:
        count += 1
    return count


def _ratios(values, before, after, axes):
    """To the mean of the two rounds of the reference; None where there is nothing to divide by."""
    found = {}
    for axis, better in axes.items():
        base = (before[axis] + after[axis]) / 2
        if not base or not values[axis] and better == "lower":
            return None
        found[axis] = values[axis] / base
    return found


def one_pass(search, names):
    """Every candidate once, in random order."""
    order = search.chance.sample(names, len(names))
    before = search.measure(None)
    for start in range(0, len(order), GROUP):
        group = [(name, search.measure(name)) for name in order[start:start + GROUP]]
        after = search.measure(None)
        for name, values in group:
            ratios = values and _ratios(values, before, after, search.axes)
            if ratios:
                search.samples.setdefault(name, []).append(ratios)
        before = after
    search.note(search.samples)


def stage(search, names, until):
    """At least one pass, and as many as there is time for."""
    while True:
        began = time.monotonic()
        one_pass(search, names)
        if time.monotonic() + (time.monotonic() - began) > until:
            return


def points(search, names):
    return {name: front.gains(front.medians(search.samples[name]), search.axes) for name in names
            if search.samples.get(name)}


def halving(search, names):
    """Each stage has the same time, and half as many candidates as the one before, hence twice the passes."""
    began = time.monotonic()
    for number in range(1, HALVING_STAGES + 1):
        stage(search, names, began + (search.end - began) * number / HALVING_STAGES)
        if number < HALVING_STAGES:
            names = front.best(points(search, names), max(LEAST, len(names) // 2))
    return names


def straight(search, names):
    stage(search, names, search.end)
    return names


def chosen(kind, mappings, seconds, cost, chance):
    """The mappings to begin with: those that there is time for; a grid has to fit as a whole."""
    if kind == "grid":
        need = rounds_of_pass(len(mappings)) * cost
        if need > seconds:
            raise Failure(f"a grid of {len(mappings)} mappings needs {need / 60:.0f} minutes: raise --minutes, or "
                          "narrow it with --try")
        return mappings
    count = fitting(seconds / HALVING_STAGES, cost) if kind == "halving" else fitting(seconds, cost, RANDOM_PASSES)
    if count < 2:
        raise Failure(f"a round takes {cost:.0f} s: there is no time for two mappings; raise --minutes")
    return chance.sample(mappings, min(count, len(mappings)))


KINDS = {"halving": halving, "random": straight, "grid": straight}
