# SPDX-License-Identifier: GPL-2.0-only
"""The report's plots; a variant has the same slot (colour, marker, dashes) in all. All of them need matplotlib."""

from ... import drawing
from .. import figures, words
from . import distribution, forest, percentiles, tradeoff


def _of_scenario(result, scenario, lines, slot_of):
    """Yields (kind, what of, figure or None)."""
    yield "ratios", "headlines", forest.draw([line for line in lines if line.headline] or lines, slot_of)
    if any(line.headline for line in lines):
        yield "ratios", "all metrics", forest.draw(lines, slot_of)
    yield "trade-off", "", tradeoff.draw(result, scenario, slot_of)
    for name, by_variant in figures.distributions(result, scenario).items():
        yield "distribution", name, distribution.draw(words.latency(name), by_variant, slot_of)
        yield "percentiles", name, percentiles.draw(words.latency(name), by_variant, slot_of)


def draw(result, by_scenario):
    """{(scenario, kind, what of): SVG} of whatever there is to draw."""
    slot_of = figures.slots(result)
    return {(scenario, kind, what): drawing.svg(figure, f"{scenario}: {kind} {what}".rstrip())
            for scenario, lines in by_scenario.items()
            for kind, what, figure in _of_scenario(result, scenario, lines, slot_of) if figure}
