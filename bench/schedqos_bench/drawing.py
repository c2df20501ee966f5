# SPDX-License-Identifier: GPL-2.0-only
"""What all plots have in common: figures of matplotlib, drawn as SVG in the page's colours. See plotting.why_not()."""

import io
import math
import re
import warnings
from xml.etree import ElementTree

import matplotlib
from matplotlib import ticker
from matplotlib.figure import Figure
from matplotlib.text import Text

from . import theme
from .escape import visible

_LIGHT = {name: light for name, (light, _) in theme.COLOURS.items()}
_VARIABLES = {light: f"var(--{name})" for name, light in _LIGHT.items()}
WIDTH = 860
PAPER, INK, SOFT, AXIS = (_LIGHT[name] for name in ("paper", "ink", "soft", "axis"))

# At 72 dots per inch all of matplotlib's points are pixels. The text of an SVG stays text: the page's font is narrower
# than DejaVu Sans, by which matplotlib makes room for it.
matplotlib.rcdefaults()
matplotlib.rcParams.update({
    "figure.dpi": 72, "figure.facecolor": "none", "axes.facecolor": "none", "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"], "font.size": 12, "text.parse_math": False, "text.color": INK,
    "axes.titlesize": 13, "axes.titleweight": "semibold", "axes.titlelocation": "left", "axes.titlepad": 14,
    "axes.labelcolor": INK, "axes.labelpad": 8, "axes.grid": True, "axes.axisbelow": True, "grid.color": _LIGHT["grid"],
    "grid.linewidth": 1, "xtick.labelcolor": SOFT, "ytick.labelcolor": SOFT, "legend.frameon": False,
    "legend.borderaxespad": 0, "legend.handlelength": 3.2,
    **{f"figure.constrained_layout.{pad}": size for pad, size in (("w_pad", 0.1), ("h_pad", 0.1), ("wspace", 0.04))},
    **{f"axes.spines.{side}": False for side in ("left", "right", "top", "bottom")},
    **{f"{axis}tick.{size}": 0 for axis in "xy" for size in ("major.size", "minor.size")},
    "xtick.major.pad": 8, "ytick.major.pad": 8,
})

_DASHES = ("-", "-", (0, (3.5, 1.5)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (6, 2)), (0, (2, 1, .5, 1, .5, 1)))
_MARKERS = "oos^DvP"
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def is_time(unit):
    return unit in _SECONDS


def quantity(value, unit):
    """With three digits that count; a time in whichever unit reads best."""
    return formatter(unit)(float(f"{value:.3g}")) + ("" if is_time(unit) or not unit else f" {unit}")


def formatter(unit):
    """Of ticks. A time says its unit at each of them; others have it in the axis's title."""
    if is_time(unit):
        times = ticker.EngFormatter("s")
        return ticker.FuncFormatter(lambda value, _=None: times(value * _SECONDS[unit]))
    return ticker.StrMethodFormatter("{x:,.6g}")


def shortened(name, most=24):
    """Names may be long: the middle of them is left out."""
    name = visible(name)
    return name if len(name) <= most else name[:most - most // 2 - 1] + "…" + name[len(name) - most // 2:]


def colour(slot):
    return _LIGHT[theme.variable(slot)]


def _pattern(slot):
    """Of markers and dashes: another one each time that a colour comes again."""
    colours = theme.SLOTS - 1
    return 0 if slot == 0 else 1 + (slot - 1 + (slot - 1) // colours) % colours


def line(slot):
    """How lines of the slot look, for axes.plot()."""
    return {"color": colour(slot), "linestyle": _DASHES[_pattern(slot)], "linewidth": 2.2, "clip_on": True}


def marks(slot, size, **others):
    """How points of the slot look, for axes.plot()."""
    return {"color": colour(slot), "marker": _MARKERS[_pattern(slot)], "markersize": size, "linestyle": "none",
            "clip_on": False, **others}


def rounds(slot):
    """Of the single ones: small and faint beside their median()."""
    return marks(slot, 6, alpha=0.4, markeredgewidth=0)


def median(slot, **others):
    return marks(slot, 10, markeredgewidth=1.8, zorder=3, **others)


def figure(width, height):
    return Figure(figsize=(width / 72, height / 72), layout="constrained")


def log_ticks(axis, unit):
    """Decades alone where there are many, more ticks in between otherwise. To be called when all has been plotted."""
    decades = math.log10(max(axis.get_view_interval()) / min(axis.get_view_interval()))
    steps = (1,) if decades > 2.4 else (1, 2, 5) if decades > 0.8 else (1, 2, 3, 4, 6, 8)
    axis.set_major_locator(ticker.LogLocator(subs=steps))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(formatter(unit))


def legend(axes, lines):
    """Of {name: what plot() returned}, in this order, right of the axes. Of labels with _ matplotlib makes none."""
    shown = axes.legend([drawn for drawn, in lines.values()], map(str, range(len(lines))), labelcolor="linecolor",
                        loc="upper left", bbox_to_anchor=(1.03, 1))
    for text, name in zip(shown.get_texts(), lines):
        text.set(text=shortened(name), weight="semibold")


def _savefig(drawn, salt):
    """Texts may be hostile, and of letters that DejaVu Sans lacks: the page's font has them, or not."""
    for text in drawn.findobj(Text):
        text.set_text(visible(text.get_text()))
    output = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": salt}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        drawn.savefig(output, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return ElementTree.fromstring(output.getvalue())


_SVG = "http://www.w3.org/2000/svg"
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


def _variable(found):
    return _VARIABLES.get(found[0], found[0])


def svg(drawn, title, alone=False):
    """
    The picture as text. Its title tells it, and with it the ids that are referred to, from the others of a page. One
    that stands alone brings its colours along.
    """
    root = _savefig(drawn, title)
    style = root.find(f"{{{_SVG}}}defs/{{{_SVG}}}style")  # for whatever is on the page
    style.text = f"{theme.CSS}svg{{background:var(--paper)}}" if alone else ""
    for each in root.iter():
        if each.tag == f"{{{_SVG}}}g":
            each.attrib.pop("id", None)
        if "style" in each.attrib:
            each.set("style", re.sub("#[0-9a-f]{6}", _variable, each.get("style")))
    root.attrib.update({"role": "img", "aria-label": visible(title)})
    return ElementTree.tostring(root, encoding="unicode") + "\n"
