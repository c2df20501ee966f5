# SPDX-License-Identifier: GPL-2.0-only
"""The report's plots; a variant has the same colour in all."""

from .. import vector
from . import figures, words


def _ratios(lines, slot_of):
    """Of metrics that have ratios; None without any."""
    groups = []
    for line in lines:
        rows = [(name, slot_of[name], tuple(cell.ratio), f"{words.ratio(cell.ratio)}  {cell.verdict}",
                 figures.is_claim(cell.verdict)) for name, cell in line.cells.items() if cell.ratio]
        if rows:
            groups.append((words.line(line._replace(unit="")), rows))
    return vector.ratios(f"ratio to {words.base(lines)} (line: 95 % interval)", groups) if groups else None


def _distribution(title, by_variant, slot_of):
    """The share of samples that took longer; None without any above zero."""
    found = {name: [(value, 100 - percent) for percent, value in each.curve if value > 0] for name, each in by_variant.items()}
    found = {name: curve for name, curve in found.items() if curve}
    unit = next(iter(by_variant.values())).unit
    return vector.curves(f"share that took longer: {title}", unit, found, slot_of) if found else None


def draw(result, by_scenario):
    """{(scenario, kind, what of): SVG} of whatever there is to draw."""
    slot_of, found = figures.slots(result), {}
    for scenario, lines in by_scenario.items():
        found[scenario, "ratios", "headlines"] = _ratios([line for line in lines if line.headline] or lines, slot_of)
        if any(line.headline for line in lines):
            found[scenario, "ratios", "all metrics"] = _ratios(lines, slot_of)
        for name, by_variant in figures.distributions(result, scenario).items():
            found[scenario, "distribution", name] = _distribution(words.latency(name), by_variant, slot_of)
    return {key: picture for key, picture in found.items() if picture}
