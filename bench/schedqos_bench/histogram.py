# SPDX-License-Identifier: GPL-2.0-only
"""Histograms: [[value, count], ...] in ascending order of values."""

import collections

from .stats import rank


def percentile(points, percent):
    """By nearest rank, like stats.percentile of the single values."""
    wanted = rank(sum(count for _, count in points), percent)
    seen = 0
    for value, count in points:
        seen += count
        if seen >= wanted:
            return value
    raise ValueError("an empty histogram")


def pool(histograms):
    """One of several: of all their values together."""
    counts = collections.Counter()
    for points in histograms:
        for value, count in points:
            counts[value] += count
    return sorted([value, count] for value, count in counts.items())
