# SPDX-License-Identifier: GPL-2.0-only
"""Medians, percentiles and how people read them."""

import random
import statistics
from typing import NamedTuple

RESAMPLES = 4_000
CONFIDENCE = 0.95

# The range of n values covers their median with a probability of 1 - 2^(1-n): 75 % of 3, 88 % of 4, 94 % of 5. Of
# fewer than five no method makes an interval of 95 %.
LEAST_ROUNDS = 5


def spread(values):
    """Median, least and most of the values that there are; None without any."""
    values = [value for value in values if value is not None]
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values),
            "values": values}


def percentile(values, percent):
    """By nearest rank: a value that was actually measured."""
    return sorted(values)[rank(len(values), percent) - 1]


def rank(count, percent):
    """Which of so many ordered values is the percentile, from 1 on. In integers: 99.9 % of 1000 values is the 999th,
    which floating point may miss."""
    return max(1, -(-count * round(percent * 1000) // 100_000))


class Interval(NamedTuple):
    """A ratio of medians; low and high are None where there is no interval."""
    ratio: float
    low: float
    high: float


def _resampled(mine, base, paired, chance):
    """
    The ratios of medians of samples drawn with replacement. Paired: what was measured in the same round stays together,
    so that what slows down a whole round, and with it both, does not widen the interval.
    """
    found = []
    places = range(len(mine))
    for _ in range(RESAMPLES):
        if paired:
            chosen = chance.choices(places, k=len(mine))
            upper, lower = [mine[i] for i in chosen], [base[i] for i in chosen]
        else:
            upper, lower = chance.choices(mine, k=len(mine)), chance.choices(base, k=len(base))
        found.append(statistics.median(upper) / statistics.median(lower))
    return sorted(found)


def ratio_of_medians(mine, base, seed, paired):
    """With its interval by bootstrap (percentiles of the resampled ratios); None without anything to divide by."""
    if not mine or not base or statistics.median(base) <= 0:
        return None
    middle = statistics.median(mine) / statistics.median(base)
    if min(len(mine), len(base)) < LEAST_ROUNDS or min(base) <= 0:
        return Interval(middle, None, None)
    found = _resampled(mine, base, paired, random.Random(seed))
    tail = (1 - CONFIDENCE) / 2 * 100
    return Interval(middle, percentile(found, tail), percentile(found, 100 - tail))


def table(heads, rows, left=1):
    """A Markdown table: the first columns to the left, figures to the right, padded for the terminal."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]

    def line(cells):
        padded = [cell.ljust(width) if i < left else cell.rjust(width)
                  for i, (cell, width) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * width if i < left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "\n".join([line(heads), line(rule), *map(line, rows)])
