# SPDX-License-Identifier: GPL-2.0-only
"""
What plots are made of: axes, texts, markers, and labels that do not overlap, as SVG; no plotting library needed.

Colours are variables of CSS (THEME), so that a picture follows light and dark. The first slot is that of the default or
reference; the others keep apart for all kinds of colour vision, and each has a marker and a dash pattern of its own.
"""

import math

from .escape import markup

SLOTS = 7

# Okabe and Ito's hues, darker on white and lighter on black so that text in them is readable (contrast over 4.5).
THEME = """\
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2126;--soft:#5a6472;--grid:#e1e5ea;--axis:#98a2ae;
--v0:#59626e;--v1:#0067ac;--v2:#bf4a00;--v3:#007a59;--v4:#a83f86;--v5:#8a6400;--v6:#6a4bc4}
@media (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e6e9ed;--soft:#a3adb9;--grid:#2b3138;--axis:#66707c;
--v0:#b3bcc7;--v1:#5cb3f0;--v2:#ff9350;--v3:#3ccf9f;--v4:#eb94cf;--v5:#e8bd45;--v6:#b8a4ff}}
"""
STYLE = """\
svg text{font:12px system-ui,"Segoe UI","Liberation Sans",sans-serif;fill:var(--ink)}
svg .title{font-weight:600;font-size:14px}svg .soft{fill:var(--soft)}svg .strong{font-weight:600}
svg .grid{stroke:var(--grid);fill:none}svg .axis{stroke:var(--axis);fill:none}
""" + "".join(f"svg .s{i}{{stroke:var(--v{i});fill:none}}svg .f{i},svg text.f{i}{{fill:var(--v{i})}}\n"
              for i in range(SLOTS))
_DASHES = ("", "", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2 1 2")
_CHARACTER = 7.0  # width on average, at 12 px, in a wide font (DejaVu Sans)
LINE = 15  # height of a line of text


def colour(slot):
    """There may be more slots than colours; that of the default stays its own."""
    return slot if slot < SLOTS else 1 + (slot - 1) % (SLOTS - 1)


def _pattern(slot):
    """Of markers and dashes: another one each time that a colour comes again."""
    return 0 if slot == 0 else 1 + (slot - 1 + (slot - 1) // (SLOTS - 1)) % (SLOTS - 1)


def stroke(slot):
    """The class of lines in the slot's colour."""
    return f"s{colour(slot)}"


def fill(slot):
    """The class of texts and areas in the slot's colour."""
    return f"f{colour(slot)}"


def width_of(text, bold=False):
    return len(str(text)) * _CHARACTER * (1.17 if bold else 1.0)


def shortened(text, most):
    """Names may be long: the middle of them is left out."""
    return text if len(text) <= most else text[:most - most // 2 - 1] + "…" + text[len(text) - most // 2:]


def number(value):
    """Short, with three digits that count."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:.3g}M"
    if size >= 1e3:
        return f"{value:,.0f}"
    return f"{value:.3g}"


_TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def is_time(unit):
    return unit in _TIMES


def quantity(value, unit):
    """With its unit; times in whichever of theirs reads best."""
    if unit not in _TIMES:
        return f"{number(value)} {unit}".rstrip()
    seconds = value * _TIMES[unit]
    for name, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= size * 0.9995:
            return f"{number(seconds / size)} {name}"
    return "0" if not value else f"{seconds / 1e-6:.2g} µs"


class Log:
    """A logarithmic axis from start to end, a little longer than the values."""

    def __init__(self, values, start, end, margin=0.04):
        low, high = math.log10(min(values)), math.log10(max(values))
        if high - low < 0.3:
            low, high = (low + high) / 2 - 0.15, (low + high) / 2 + 0.15
        extra = (high - low) * margin
        self.low, self.high, self.start, self.end = low - extra, high + extra, start, end

    def at(self, value):
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        decades = self.high - self.low
        # Decades alone where there are many; more of them in between the fewer there are.
        steps = (1,) if decades > 2.4 else (1, 2, 5) if decades > 0.7 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
        found = [step * 10.0 ** power for power in range(math.floor(self.low), math.ceil(self.high) + 1)
                 for step in steps]
        return [tick for tick in found if self.low - 1e-9 <= math.log10(tick) <= self.high + 1e-9]


class Linear:
    """A linear axis in round steps; from zero where the values are not all far from it."""

    def __init__(self, values, start, end, margin=0.12):
        low, high = min(values), max(values)
        extra = (high - low or abs(high) or 1) * margin
        self.low = 0 if 0 <= low < high * 0.4 else low - extra
        self.high = high + extra
        self.start, self.end = start, end

    def at(self, value):
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, wanted=5):
        rough = (self.high - self.low) / wanted
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= rough)
        first = math.ceil(self.low / step - 1e-9)
        return [round(i * step, 12) for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def text(x, y, content, anchor="start", css="", extra=""):
    css = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{css}{extra}>{markup(content)}</text>'


def down(x, y, content, css=""):
    """Text that is read from below upwards, with its middle at y."""
    return text(x, y, content, "middle", css, f' transform="rotate(-90 {x:.1f} {y:.1f})"')


def segment(x1, y1, x2, y2, css, extra=""):
    return f'<path class="{css}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"{extra}/>'


def grid(x_axis, y_axis, x_texts, y_texts):
    """Lines at {tick: text} of both axes, and the texts outside."""
    parts = []
    for tick, shown in x_texts.items():
        x = x_axis.at(tick)
        parts += [segment(x, y_axis.start, x, y_axis.end, "grid"), text(x, y_axis.start + 17, shown, "middle", "soft")]
    for tick, shown in y_texts.items():
        y = y_axis.at(tick)
        parts += [segment(x_axis.start, y, x_axis.end, y, "grid"), text(x_axis.start - 8, y + 4, shown, "end", "soft")]
    return parts


def axis_titles(x_axis, y_axis, x_title, y_title):
    return [text((x_axis.start + x_axis.end) / 2, y_axis.start + 40, x_title, "middle"),
            down(16, (y_axis.start + y_axis.end) / 2, y_title)]


def curve(places, slot, width=2.0):
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dashes = f' stroke-dasharray="{_DASHES[_pattern(slot)]}"' if _DASHES[_pattern(slot)] else ""
    return f'<path class="{stroke(slot)}" d="M{path}" stroke-width="{width:g}" stroke-linejoin="round"{dashes}/>'


def _polygon(x, y, size, corners):
    return " ".join(f"{x + size * cx:.1f},{y + size * cy:.1f}" for cx, cy in corners)


_SHAPES = (None, None, ((-.9, -.9), (.9, -.9), (.9, .9), (-.9, .9)), ((0, -1.2), (1.1, .8), (-1.1, .8)),
           ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)), ((0, 1.2), (1.1, -.8), (-1.1, -.8)),
           ((-.4, -1.2), (.4, -1.2), (.4, -.4), (1.2, -.4), (1.2, .4), (.4, .4), (.4, 1.2), (-.4, 1.2), (-.4, .4),
            (-1.2, .4), (-1.2, -.4), (-.4, -.4)))


def marker(x, y, slot, size=5.0, hollow=False, faint=False, title=""):
    """In the slot's shape and colour; hollow: only its outline."""
    look = f'class="{stroke(slot)}" style="fill:var(--paper);stroke-width:1.8"' if hollow else f'class="{fill(slot)}"'
    look += ' opacity="0.4"' if faint else ""
    inside = f"<title>{markup(title)}</title>" if title else ""
    shape = _SHAPES[_pattern(slot)]
    if shape:
        return f'<polygon points="{_polygon(x, y, size, shape)}" {look}>{inside}</polygon>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {look}>{inside}</circle>'


def spread_labels(wanted, low, high, gap=LINE):
    """
    Places for labels as near as may be to those that are wanted, at least a gap apart and between low and high (as far
    as there is room). In the order of wanted.
    """
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    groups = []  # of [their middle, their number], merged while they overlap
    for i in order:
        groups.append([min(max(wanted[i], low), high), 1])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < (groups[-1][1] + groups[-2][1]) * gap / 2:
            middle, count = groups.pop()
            total = groups[-1][1] + count
            groups[-1] = [(groups[-1][0] * groups[-1][1] + middle * count) / total, total]
            half = (total - 1) * gap / 2
            groups[-1][0] = max(min(groups[-1][0], high - half), low + half)
    placed = [middle + (i - (count - 1) / 2) * gap for middle, count in groups for i in range(count)]
    places = [0.0] * len(wanted)
    for i, place in zip(order, placed):
        places[i] = place
    return places


class Labels:
    """Labels beside points, each where it covers neither another one nor a point."""

    def __init__(self, left, top, right, bottom):
        self.room = (left, top, right, bottom)
        self.taken = []

    def block(self, x, y, size):
        self.taken.append((x - size, y - size, x + size, y + size))

    def _cost(self, box):
        outside = sum(max(0, edge) for edge in (self.room[0] - box[0], self.room[1] - box[1],
                                                box[2] - self.room[2], box[3] - self.room[3]))
        covered = sum(max(0, min(box[2], other[2]) - max(box[0], other[0]))
                      * max(0, min(box[3], other[3]) - max(box[1], other[1])) for other in self.taken)
        return outside * 100 + covered

    def place(self, x, y, content, slot):
        """With a line from the point to it, where it has to be far from it."""
        width = width_of(content, bold=True)
        boxes = []
        for far in (9, 20, 34):
            for left, middle in ((x + far, y), (x - far - width, y), (x - width / 2, y - far - 4),
                                 (x - width / 2, y + far + 4), (x + far, y - far), (x + far, y + far),
                                 (x - far - width, y - far), (x - far - width, y + far)):
                boxes.append((left, middle - 7, left + width, middle + 7))
        best = min(boxes, key=self._cost)
        self.taken.append(best)
        near = min(max(x, best[0]), best[2]), min(max(y, best[1]), best[3])
        far_off = max(abs(near[0] - x), abs(near[1] - y)) > 12
        leader = segment(x, y, *near, stroke(slot), ' opacity="0.6"') if far_off else ""
        return leader + text(best[0], best[3] - 3, content, css=f"{fill(slot)} strong")


def document(width, height, parts, alone=False, title=""):
    """The picture. One that stands alone brings its colours along; a page has them already."""
    style = f"<style>{THEME}{STYLE}</style>" if alone else ""
    paper = f'<rect width="{width}" height="{height}" style="fill:var(--paper)"/>' if alone else ""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{markup(title)}">{style}{paper}', *parts, "</svg>"]) + "\n"
