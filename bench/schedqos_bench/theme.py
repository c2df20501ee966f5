# SPDX-License-Identifier: GPL-2.0-only
"""
Colours of pages and plots, as variables of CSS that follow light and dark.

The first slot is that of the default or reference; the others keep apart for all kinds of colour vision.
"""

SLOTS = 7

# On white and on black. The slots' are Okabe and Ito's hues, darker and lighter so that text in them is readable
# (contrast over 4.5).
COLOURS = {
    "paper": ("#ffffff", "#14171b"), "ink": ("#1c2126", "#e6e9ed"), "soft": ("#5a6472", "#a3adb9"),
    "grid": ("#e1e5ea", "#2b3138"), "axis": ("#98a2ae", "#66707c"),
    "v0": ("#59626e", "#b3bcc7"), "v1": ("#0067ac", "#5cb3f0"), "v2": ("#bf4a00", "#ff9350"),
    "v3": ("#007a59", "#3ccf9f"), "v4": ("#a83f86", "#eb94cf"), "v5": ("#8a6400", "#e8bd45"),
    "v6": ("#6a4bc4", "#b8a4ff"),
}


def _variables(side):
    return ";".join(f"--{name}:{pair[side]}" for name, pair in COLOURS.items())


CSS = (f":root{{color-scheme:light dark;{_variables(0)}}}\n"
       f"@media (prefers-color-scheme:dark){{:root{{{_variables(1)}}}}}\n"
       'svg text{font-family:system-ui,"Segoe UI","Liberation Sans","DejaVu Sans",sans-serif!important}\n'
       "svg *{stroke-linejoin:round}\n")


def variable(slot):
    """There may be more slots than colours; the default's colour is never reused."""
    return f"v{slot if slot < SLOTS else 1 + (slot - 1) % (SLOTS - 1)}"
