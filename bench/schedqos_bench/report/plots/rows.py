# SPDX-License-Identifier: GPL-2.0-only
"""Plots of rows under headings: one row for each variant, names on the left and figures on the right."""

from ... import drawing

_ROW, _HEADING = 19, 1.6  # pixels; rows


def axes(groups, slot_of):
    """
    A figure's axes for (heading, names) of each group, with a logarithmic scale along. Returns them and, for each
    group, how far down its rows are.
    """
    height = sum(_HEADING + len(names) for _, names in groups)
    found = drawing.figure(drawing.WIDTH, height * _ROW + 50).subplots()
    found.set_xscale("log")
    found.set_ylim(height - 0.4, 0)
    found.yaxis.grid(False)
    places, top = [], 0
    for heading, names in groups:
        # From the left edge on, over the axes: no room has to be made for it.
        found.annotate(heading, (0, top + _HEADING / 2 - 0.2), xycoords=("figure fraction", "data"), xytext=(4, 0),
                       textcoords="offset points", va="center", weight="semibold").set_in_layout(False)
        places.append([top + _HEADING + i for i in range(len(names))])
        top += _HEADING + len(names)
    names = [name for _, names in groups for name in names]
    found.set_yticks([y for group in places for y in group])
    found.set_yticklabels(map(drawing.shortened, names), weight="semibold")
    for label, name in zip(found.get_yticklabels(), names):
        label.set_color(drawing.colour(slot_of[name]))
    return found, places


def note(found, y, text, right=16, **look):
    """So many pixels right of a row."""
    found.annotate(text, (1, y), xycoords=("axes fraction", "data"), xytext=(right, 0), textcoords="offset points",
                   va="center", annotation_clip=False, **look)
