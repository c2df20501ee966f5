# SPDX-License-Identifier: GPL-2.0-only
"""
Values of the lab: {variant: {metric: [a value for each seed]}}. There is no noise, so there are no intervals: the median
over the seeds, the least and the greatest.
"""

import statistics

# No mapping may make anything later than that, compared with no daemon at all.
PROMISE = 1.05


def summary(found):
    """(median, least, greatest); None where no seed has a value."""
    found = [value for value in found if value is not None]
    return (statistics.median(found), min(found), max(found)) if found else None


def number(value):
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    digits = 4 if abs(value) < 1 else 3
    return f"{value:.{digits}g}" if abs(value) < 999.5 else f"{value:.0f}"


def cell(found):
    each = summary(found)
    if each is None:
        return "-"
    median, least, greatest = each
    missing = found.count(None)
    return (number(median) + ("" if least == greatest else f" ({number(least)} - {number(greatest)})")
            + (f" of {len(found) - missing} seeds" if missing else ""))


def worse(found, name, reference, ratio):
    """
    Returns {metric: (reference's median, its own, whether each seed is above all of the reference's)} of the p99s and
    counts of late ones whose median is above ratio x reference. If nothing differs, each of five seeds is above all of
    the other five in one case of 252.
    """
    pairs = {metric: (summary(found[reference].get(metric, [])), summary(each)) for metric, each in found[name].items()
             if metric.endswith(("_p99", "_missed", "_late"))}
    return {metric: (was[0], now[0], now[1] > was[2]) for metric, (was, now) in pairs.items() if was and now and now[0] > ratio * was[0]}


def markdown(rows):
    """A Markdown table; the first row is the head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def table(values, units):
    """Markdown, a row for each metric. values as above; units: {metric: unit}."""
    names = list(values)
    metrics = list(dict.fromkeys(metric for each in values.values() for metric in each))
    rows = [["", *names]]
    for metric in metrics:
        unit = units.get(metric, "")
        rows.append([f"{metric}, {unit}" if unit else metric, *(cell(values[name].get(metric, [])) for name in names)])
    return markdown(rows)
