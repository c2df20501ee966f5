# SPDX-License-Identifier: GPL-2.0-only
"""Conditions of --expect: "[VARIANT:] METRIC <= NUMBER [UNIT]", which hold for the medians over the seeds."""

import operator
import re
from typing import NamedTuple, Optional

from ..process import Failure
from . import values

_OPERATORS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_EXPECTATION = re.compile(r"(?P<metric>.+?) *(?P<operator><=|>=|<|>) *(?P<number>[0-9.]+) *(?P<unit>\S*)")


class Wrong(Failure):
    """The condition itself is wrong."""


class Expectation(NamedTuple):
    text: str
    variant: Optional[str]  # None: all of them
    metric: str
    operator: str
    number: float

    def failures(self, found):
        """
        What does not hold, as text; found: {variant: {metric: [value of each seed]}}. Without a variant, those that have the
        metric count. What nobody has measured is Wrong: it says nothing about a kernel.
        """
        each = {name: values.summary(metrics.get(self.metric, [])) for name, metrics in found.items()
                if self.variant in (None, name)}
        measured = {name: summary for name, summary in each.items() if summary}
        missing = [name for name in measured if None in found[name][self.metric]]
        if missing or not measured:
            where = f"all seeds of {', '.join(missing)}" if missing else ", ".join(each)
            raise Wrong(f"--expect {self.text}: it was not measured in {where}")
        return [f"{name}: {self.metric} is {values.number(median)}, expected {self.text}"
                for name, (median, _, _) in measured.items() if not _OPERATORS[self.operator](median, self.number)]


def parse(text, units, names):
    """units: {metric: unit} of all metrics; names: of the variants. A metric's name may hold ": ", too."""
    match = _EXPECTATION.fullmatch(text.strip())
    if not match:
        raise Wrong(f"--expect {text}: expected [VARIANT:] METRIC <= NUMBER [UNIT], with <=, >=, < or >")
    metric, unit, variant = match["metric"], match["unit"], None
    if metric not in units and ": " in metric:
        variant, metric = metric.split(": ", 1)
    if metric not in units:
        raise Wrong(f"--expect {text}: there is no metric {metric}; there are:\n" + "\n".join(units))
    if variant and variant not in names:
        raise Wrong(f"--expect {text}: there is no variant {variant}; there are: {', '.join(names)}")
    if unit and unit != units[metric]:
        raise Wrong(f"--expect {text}: {metric} is in {units[metric] or 'no unit'}, not in {unit}")
    try:
        number = float(match["number"])
    except ValueError:
        raise Wrong(f"--expect {text}: {match['number']} is no number") from None
    return Expectation(text, variant, metric, match["operator"], number)
