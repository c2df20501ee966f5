# SPDX-License-Identifier: GPL-2.0-only
"""
Medians, percentiles, and ratios with intervals that hold what they promise: by ranks, so that no distribution is assumed.
If two variants are the same, each round's ratio is as likely above 1 as below, whatever disturbs the rounds. The interval
is made of the ratios that Wilcoxon's test would not reject: it misses the truth in at most 4 of 100 cases.
"""

import functools
import math
import statistics
from typing import NamedTuple

# So often an interval of a ratio misses the truth, at most. Less than the 5 of 100 that its name allows: a report of
# hundreds of differences that are none should not claim more than these either.
MISSES = 0.04
_TAIL = MISSES / 2
_COUNT_TAIL = 0.025

# Of fewer paired rounds no method makes an interval of 95 %: five agree by chance in 6.25 % of all cases.
LEAST_ROUNDS = 6

# A percentile is told only if so many samples lie beyond it.
LEAST_BEYOND = 10


def has_enough(samples, percent):
    """Whether so many samples say anything about this percentile."""
    return samples * round(100 - percent, 6) >= 100 * LEAST_BEYOND


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
    """A ratio; low and high are None where there is no interval. They may be infinite if a base counts nothing."""
    ratio: float
    low: float
    high: float


def _least_extreme(ways):
    """
    How many of the extreme values to leave out at each end: ways[k] is how often k of the values lie below the truth.
    Zero: there is no interval.
    """
    total, seen = sum(ways), 0
    for count, each in enumerate(ways):
        seen += each
        if seen / total > _TAIL:
            return count
    return 0


@functools.lru_cache(maxsize=None)
def _signed_ranks(count):
    """For the averages of all pairs of so many values, each with itself included."""
    ways = [1]
    for rank_ in range(1, count + 1):
        longer = ways + [0] * rank_
        for i, each in enumerate(ways):
            longer[i + rank_] += each
        ways = longer
    return _least_extreme(ways)


@functools.lru_cache(maxsize=None)
def _rank_sums(first, second):
    """For the differences of all pairs of a value of the first and one of the second."""
    @functools.lru_cache(maxsize=None)
    def ways(m, n):
        if not m or not n:
            return (1,)
        found = [0] * (m * n + 1)
        for i, each in enumerate(ways(m - 1, n)):
            found[i + n] += each
        for i, each in enumerate(ways(m, n - 1)):
            found[i] += each
        return tuple(found)
    return _least_extreme(ways(first, second))


def _pairs(values):
    return [(one, other) for i, one in enumerate(values) for other in values[i:]]


def ratio_of(mine, base, paired):
    """
    The ratio of two lists of values. Paired: those of the same rounds, of which it is the typical ratio (Hodges and
    Lehmann's). None without anything to divide by.
    """
    if not mine or not base or statistics.median(base) <= 0:
        return None
    if min(*mine, *base) <= 0:
        return Interval(statistics.median(mine) / statistics.median(base), None, None)
    if paired:
        ratios = [math.log(one / other) for one, other in zip(mine, base)]
        values, cut = sorted((one + other) / 2 for one, other in _pairs(ratios)), _signed_ranks(len(ratios))
    else:
        values = sorted(math.log(one / other) for one in mine for other in base)
        cut = _rank_sums(len(mine), len(base))
    if not cut:
        return Interval(math.exp(statistics.median(values)), None, None)
    return Interval(*(math.exp(value) for value in (statistics.median(values), values[cut - 1], values[-cut])))


def _binomial_below(most, count, share):
    """The probability of at most so many of count."""
    if share <= 0 or share >= 1:
        return 1.0 if share <= 0 or most >= count else 0.0
    return sum(math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) +
                        k * math.log(share) + (count - k) * math.log1p(-share)) for k in range(most + 1))


def _poisson_below(most, mean):
    return sum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(most + 1)) if mean > 0 else 1.0


def _where(falls, low, high):
    """Where a function that falls from true to false changes."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(middle) else (low, middle)
    return low


def count_interval(count):
    """The means that a count from events that come singly does not contradict (Garwood's)."""
    most = 3 * count + 20
    return (_where(lambda mean: 1 - _poisson_below(count - 1, mean) < _COUNT_TAIL, 0, most) if count else 0.0,
            _where(lambda mean: _poisson_below(count, mean) > _COUNT_TAIL, 0, most))


def _by_totals(mine, base):
    """The ratios of rates that two counts do not contradict (Clopper and Pearson's, given the sum)."""
    count = mine + base
    low = _where(lambda share: 1 - _binomial_below(mine - 1, count, share) < _TAIL, 0, 1) if mine else 0.0
    high = _where(lambda share: _binomial_below(mine, count, share) > _TAIL, 0, 1) if base else 1.0
    return low / (1 - low), high / (1 - high) if high < 1 else math.inf


def ratio_of_counts(mine, base):
    """
    The ratio of two lists of counts of the same rounds. The interval is the wider of two at each end: that of the totals,
    which would do if events came singly, and that over the rounds by ranks, for those that come together. None if nothing
    was counted.
    """
    if not sum(mine) + sum(base):
        return None
    ratio, cut = sum(mine) / sum(base) if sum(base) else math.inf, _signed_ranks(len(mine))
    if not cut:
        return Interval(ratio, None, None)
    pairs = [(sum(ones), sum(others)) for ones, others in zip(_pairs(mine), _pairs(base))]
    # Where neither counts anything, any ratio may be.
    lows = sorted(one / other if other else math.inf if one else 0.0 for one, other in pairs)
    highs = sorted(one / other if other else math.inf for one, other in pairs)
    low, high = _by_totals(sum(mine), sum(base))
    return Interval(ratio, min(low, lows[cut - 1]), max(high, highs[-cut]))


def by_chance(intervals):
    """How many of so many intervals miss the truth by chance: on average, and so many at most in 95 of 100 reports."""
    most = next(most for most in range(intervals + 1) if _binomial_below(most, intervals, MISSES) >= 0.95)
    return intervals * MISSES, most


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
