# SPDX-License-Identifier: GPL-2.0-only
"""Conditions of --expect: "[VARIANT:] METRIC <= NUMBER [UNIT]", which hold for the medians over the seeds."""

import operator
import re
from typing import NamedTuple, Optional

from ..process import Failure
from . import values

_OPERATORS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_EXPECTATION = re.compile(r"(?:(?P<variant>[^:]+(?::[^: ]+)*): )?(?P<metric>.+?) *(?P<operator><=|>=|<|>) *"
                          r"(?P<number>[0-9.]+) *(?P<unit>\S*)")


class Wrong(Failure):
    """The condition itself is wrong."""


class Expectation(NamedTuple):
    text: str
    variant: Optional[str]  # None: all of them
    metric: str
    operator: str
    number: float

    def failures(self, found):
        """What does not hold, as text; found: {variant: {metric: [value of each seed]}}."""
        for name, metrics in found.items():
            if self.variant in (None, name):
                summary = values.summary(metrics.get(self.metric, []))
                if summary is None:
                    yield f"{name}: there is no {self.metric}"
                elif not _OPERATORS[self.operator](summary[0], self.number):
                    yield f"{name}: {self.metric} is {values.number(summary[0])}, expected {self.text}"


def parse(text, units, names):
    """units: {metric: unit} of all metrics; names: of the variants."""
    match = _EXPECTATION.fullmatch(text.strip())
    if not match:
        raise Wrong(f"--expect {text}: expected [VARIANT:] METRIC <= NUMBER [UNIT], with <=, >=, < or >")
    metric, unit = match["metric"], match["unit"]
    if metric not in units:
        raise Wrong(f"--expect {text}: there is no metric {metric}; there are:\n" + "\n".join(units))
    if match["variant"] and match["variant"] not in names:
        raise Wrong(f"--expect {text}: there is no variant {match['variant']}; there are: {', '.join(names)}")
    if unit and unit != units[metric]:
        raise Wrong(f"--expect {text}: {metric} is in {units[metric] or 'no unit'}, not in {unit}")
    try:
        number = float(match["number"])
    except ValueError:
        raise Wrong(f"--expect {text}: {match['number']} is no number") from None
    return Expectation(text, match["variant"], metric, match["operator"], number)
