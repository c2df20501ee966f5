# SPDX-License-Identifier: GPL-2.0-only
"""Plots as SVG, without any library: the same bytes everywhere, so that CI can compare them."""

import math

from . import theme
from .escape import markup

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 860, 70, 190, 40, 50
_HEIGHT = 360
_DECADES = (100, 10, 1, 0.1, 0.01)  # of the vertical axis of curves, in percent
_DASHES = ("", "", "7 3", "2 3", "8 3 2 3", "12 4", "4 2")
_ROW, _NAMES, _NOTES = 19, 210, 330  # of rows: their height, and what stands left and right of them


def _text(x, y, content, anchor="start", fill="soft", bold=False):
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="var(--{fill})"{weight}>{markup(content)}</text>'


def _line(x1, y1, x2, y2, look):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>'


def _svg(height, title, shown):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" role="img" '
            f'aria-label="{markup(title)}" font-size="12">\n' + "\n".join(shown) + "\n</svg>\n")


def alone(picture):
    """The same for a file of its own, which brings its colours along."""
    return picture.replace(">\n", f"><style>{theme.CSS}svg{{background:var(--paper)}}</style>\n", 1)


def _shortened(name, most=24):
    return name if len(name) <= most else name[:most - most // 2 - 1] + "\u2026" + name[len(name) - most // 2:]


def _steps(least, most):
    """Round numbers on a logarithmic axis."""
    found = [factor * 10.0 ** power for power in range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
             for factor in (1, 2, 5)]
    found = [each for each in found if least <= each <= most]
    return found if len(found) <= 9 else [each for each in found if math.log10(each) % 1 < 1e-9]


def curves(title, along, found, slot_of=None):
    """The share, in percent, that is more than so much: {name: [(x, percent), ...]}, of x above 0."""
    points = [x for curve in found.values() for x, _ in curve if x > 0]
    least, most = max(min(points), max(points) / 1e4), max(points)
    most = most if most > least else least * 2
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def at(x, percent):
        down = math.log10(_DECADES[0] / max(percent, _DECADES[-1])) / (len(_DECADES) - 1)
        return _LEFT + wide * math.log(max(x, least) / least) / math.log(most / least), _TOP + high * down
    shown = [_text(_LEFT, 20, title, fill="ink", bold=True), _text(_LEFT + wide / 2, _HEIGHT - 8, along, "middle")]
    for percent in _DECADES:
        x, y = at(least, percent)
        shown += [_line(x, y, x + wide, y, 'stroke="var(--grid)"'), _text(x - 8, y + 4, f"{percent:g} %", "end")]
    shown += [_text(round(at(step, 100)[0], 1), _HEIGHT - 28, f"{step:g}", "middle") for step in _steps(least, most)]
    for i, (name, curve) in enumerate(found.items()):
        slot = slot_of[name] if slot_of else i
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in curve))
        look = f'stroke="var(--{theme.variable(slot)})" stroke-width="2.2" stroke-dasharray="{_DASHES[slot % len(_DASHES)]}"'
        row, right = _TOP + 14 + 22 * i, _LEFT + wide
        shown += [f'<path d="M{path}" fill="none" {look}/>', _line(right + 12, row, right + 40, row, look),
                  _text(right + 46, row + 4, _shortened(name), fill=theme.variable(slot))]
    return _svg(_HEIGHT, title, shown)


def ratios(title, groups):
    """
    Rows of ratios under headings: [(heading, [(name, slot, (ratio, low, high), note, whether it is shown)])]; low and high
    may be None. Far out, how far does not matter.
    """
    def near(value):
        return min(max(value, 1e-3), 1e3)
    ends = [near(each) for _, rows in groups for row in rows for each in row[2] if each is not None] + [0.9, 1.1]
    least, most = min(ends), max(ends)
    wide = _WIDTH - _NAMES - _NOTES
    height = _ROW * sum(1.6 + len(rows) for _, rows in groups) + _BOTTOM

    def at(value):
        return _NAMES + wide * math.log(near(value) / least) / math.log(most / least)
    shown = [_line(at(step), 4, at(step), height - 40, f'stroke="var(--{"axis" if step == 1 else "grid"})"')
             for step in {*_steps(least, most), 1.0}]
    shown += [_text(round(at(step), 1), height - 24, f"{step:g}", "middle") for step in _steps(least, most)]
    shown.append(_text(_NAMES + wide / 2, height - 6, title, "middle"))
    y = 0.0
    for heading, rows in groups:
        y += 1.6 * _ROW
        shown.append(_text(4, y - 8, heading, fill="ink", bold=True))
        for name, slot, (ratio, low, high), note, is_shown in rows:
            colour, middle = f"var(--{theme.variable(slot)})", y + 4
            if low is not None:
                shown.append(_line(at(low), middle, at(high), middle, f'stroke="{colour}" stroke-width="2.5"'))
            shown += [f'<circle cx="{at(ratio):.1f}" cy="{middle:.1f}" r="4.5" stroke="{colour}" stroke-width="2" '
                      f'fill="{colour if is_shown else "var(--paper)"}"/>',
                      _text(_NAMES - 12, middle + 4, _shortened(name), "end", theme.variable(slot), True),
                      _text(_WIDTH - _NOTES + 12, middle + 4, note, bold=is_shown)]
            y += _ROW
    return _svg(height, title, shown)
