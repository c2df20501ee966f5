# SPDX-License-Identifier: GPL-2.0-only
"""
The goals for each daemon, and whether they are met. A goal is {"metric": NAME} of a scenario, or {"distribution": NAME,
"percent": P}, of the samples of all rounds; with "most" or "least". With "to" it is about the ratio to that variant,
else about the worst round.
"""

from typing import NamedTuple

from . import figures, words

# As "to": of schedqos+15000, schedqos.
FEWER = "fewer rules"


class Verdict(NamedTuple):
    goal: str
    variant: str
    measured: str
    met: bool  # None: not measured

    def words(self):
        return {True: "met", False: "NOT MET", None: "not measured"}[self.met]


def _title(described, goal):
    if "distribution" in goal:
        return f"{goal['distribution']}, p{goal['percent']:g}"
    return described["metrics"][goal["metric"]]["title"]


def _percentile(result, scenario, variant, goal):
    found = figures.distribution(result, scenario, variant, goal["distribution"])
    return found.overall.get(goal["percent"]) if found else None


def _ratio(result, scenario, variant, goal, base):
    """As a number and in words; None if there is none."""
    if "distribution" in goal:
        mine, other = (_percentile(result, scenario, name, goal) for name in (variant, base))
        return (mine / other, f"{mine / other:.2f}") if mine and other else None
    found = figures.ratio(result, scenario, goal["metric"], variant, base)
    return (found.ratio, words.ratio(found)) if found else None


def _value(result, scenario, variant, goal):
    """The worst round's."""
    values = figures.values(result, scenario, variant, goal["metric"]).values()
    worst = (max if "most" in goal else min)(values, default=None)
    return None if worst is None else (worst, words.figure(worst))


def _verdict(result, scenario, variant, goal):
    """None if it is no goal of this variant."""
    base, described = goal.get("to"), result["scenarios"][scenario]
    if base == FEWER:
        base = variant.rpartition("+")[0]
        if not base:
            return None
    found = _ratio(result, scenario, variant, goal, base) if base else _value(result, scenario, variant, goal)
    side = "most" if "most" in goal else "least"
    unit = "" if base else " " + (described["metrics"][goal["metric"]].get("unit") or "")
    text = f"{_title(described, goal)}: at {side} {goal[side]:g}{f' x {base}' if base else unit.rstrip()}"
    if found is None:
        return Verdict(text, variant, "-", None)
    value, shown = found
    return Verdict(text, variant, shown, value <= goal["most"] if side == "most" else value >= goal["least"])


def verdicts(result, scenario):
    """Of all goals and all daemons that have been measured."""
    daemons = [name for name in figures.variants(result, scenario)
               if result["variants"][name].get("kind") == "schedqos"]
    found = [_verdict(result, scenario, name, goal)
             for goal in result["scenarios"][scenario].get("goals") or () for name in daemons]
    return [each for each in found if each]
