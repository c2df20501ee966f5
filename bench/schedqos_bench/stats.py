# SPDX-License-Identifier: GPL-2.0-only
"""Medians, percentiles and how people read them."""

import math
import statistics


def spread(values):
    """Median, least and most of the values that there are; None without any."""
    values = [value for value in values if value is not None]
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values),
            "values": values}


def percentile(values, percent):
    """By nearest rank: a value that has really been seen."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def ratio(value, base):
    return value / base if value is not None and base else None


def text(summary, digits=2, scale=1.0, unit=""):
    """"1.23 (1.20-1.31)", or a dash."""
    if summary is None:
        return "-"
    shown = f"{summary['median'] * scale:.{digits}f}{unit}"
    if len(summary["values"]) > 1:
        shown += f" ({summary['min'] * scale:.{digits}f}-{summary['max'] * scale:.{digits}f})"
    return shown


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
