# SPDX-License-Identifier: GPL-2.0-only
"""The last sentence of a report on `here`, for somebody who wants to know whether it helps, and nothing about schedulers."""

from . import figures

SCENARIO, KEY = "here", "wait"
_IDLE = "nearly idle"


def _sentence(name, cell, base):
    so_long = f"with {name} your programs waited for the processor"
    if cell.verdict in (figures.TOO_FEW, figures.NO_INTERVAL) or not cell.ratio or cell.ratio.low is None:
        return f"it cannot be said yet whether {name} helps here: measure at least six rounds while the machine is busy"
    if cell.verdict == figures.BETTER:
        return f"{so_long} about {100 * (1 - cell.ratio.ratio):.0f} % less than without it"
    if cell.verdict == figures.WORSE:
        return f"{so_long} about {100 * (cell.ratio.ratio - 1):.0f} % longer than without it, so it does not help here"
    return f"{so_long} about as long as without it; if there is a difference, it is too small to show in {base} rounds"


def of(result, by_scenario):
    """A sentence, or None for results of other scenarios."""
    line = next((line for line in by_scenario.get(SCENARIO, ()) if line.key == KEY), None)
    if not line:
        return None
    notes = [note for each in result["rounds"] for note in each.get("notes") or []]
    if sum(_IDLE in note for note in notes) > len(result["rounds"]) / 2:
        return "In plain words: this machine had so little to do that no program had to wait, so nothing could get better."
    rounds = len(figures.rounds(result, SCENARIO, line.reference))
    found = [_sentence(name, cell, rounds) for name, cell in line.cells.items() if name != line.reference]
    return f"In plain words: {'; '.join(found)}." if found else None
