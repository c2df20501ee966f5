# SPDX-License-Identifier: GPL-2.0-only
"""The report's plots, each a picture of its own; a variant has the same slot (colour, marker, dashes) in all."""

from ... import svg
from .. import figures

WIDTH = 860
_NAME = 24  # characters of a variant's name that are shown


def slots(result):
    """The variants' slots, by their names; the default has the first."""
    names = sorted(result["variants"], key=lambda name: name != figures.DEFAULT)
    first = 0 if figures.DEFAULT in result["variants"] else 1
    return {name: i + first for i, name in enumerate(names)}


def shown_name(variant):
    return svg.shortened(variant, _NAME)


def room(names):
    """The width that the longest of the names takes."""
    return max(svg.width_of(shown_name(name), bold=True) for name in names) + 14
