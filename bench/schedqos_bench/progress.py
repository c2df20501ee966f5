# SPDX-License-Identifier: GPL-2.0-only
"""Progress messages on stderr, with an estimate of the end."""

import sys
import time

from . import escape

# Around the measurement itself, until the first rounds have shown what it is.
FIRST_GUESS = 10.0


def log(text):
    """Escaped: the output of programs and the names of cgroups may be in the text."""
    shown = "\n".join(map(escape.visible, str(text).split("\n")))
    print(f"schedqos-bench: {shown}", file=sys.stderr, flush=True)


def span(seconds):
    """"40 s", "12 min", "1 h 05 min"."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


class Estimate:
    """The time left: each round takes its measuring time plus the overhead seen in earlier rounds of its kind."""

    def __init__(self):
        self.beside = {}

    def learn(self, scenario, measured, took):
        self.beside.setdefault(scenario, []).append(took - measured)

    def of(self, scenario, measured):
        seen = self.beside.get(scenario)
        return measured + (sum(seen) / len(seen) if seen else FIRST_GUESS)

    def left(self, rest):
        """rest: (scenario, seconds to measure) of each round to come."""
        return sum(self.of(*each) for each in rest)


def end_text(left):
    clock = time.strftime("%H:%M:%S", time.localtime(time.time() + left))
    return f"{span(left)} left, until about {clock}"


def figure(value, unit):
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{text} {unit}" if unit else text


def headline(metrics, meanings):
    """The headline metrics of a round, as text."""
    return ", ".join(f"{meaning['title']} {figure(metrics[name], meaning['unit'])}"
                     for name, meaning in meanings.items() if meaning["headline"] and metrics.get(name) is not None)
