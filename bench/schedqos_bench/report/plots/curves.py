# SPDX-License-Identifier: GPL-2.0-only
"""What something costs by a size that grows: a panel for each cost, with a line for each variant."""

import math

from ... import drawing

COLUMNS = 2


def _panel(axes, along, title, unit, by_variant, slot_of):
    shown = title if not unit or drawing.is_time(unit) else f"{title} ({unit})"
    axes.set(title=shown, xlabel=along, xscale="log", yscale="log")
    # A logarithmic axis has no zero.
    points = {name: [(size, value) for size, value in each.items() if size > 0 and value > 0]
              for name, each in by_variant.items()}
    drawn = {name: axes.plot(*zip(*each), **{**drawing.marks(slot_of[name], 7), **drawing.line(slot_of[name])})
             for name, each in points.items() if each}
    drawing.log_ticks(axes.xaxis, "")
    drawing.log_ticks(axes.yaxis, unit)
    drawing.legend(axes, drawn)


def draw(along, titles, slot_of):
    """titles: {(title, unit): {variant: {size: value}}}. None if there is nothing to draw."""
    shown = {key: each for key, each in titles.items()
             if any(value > 0 for by_size in each.values() for value in by_size.values())}
    if not shown:
        return None
    rows = math.ceil(len(shown) / COLUMNS)
    figure = drawing.figure(drawing.WIDTH, 240 * rows)
    panels = list(figure.subplots(rows, COLUMNS, squeeze=False).flat)
    for axes, ((title, unit), by_variant) in zip(panels, shown.items()):
        _panel(axes, along, title, unit, by_variant, slot_of)
    for axes in panels[len(shown):]:
        axes.set_axis_off()
    return figure
