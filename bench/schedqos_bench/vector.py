# SPDX-License-Identifier: GPL-2.0-only
"""A plot of curves as SVG, without matplotlib: the same bytes everywhere, so that CI can compare them."""

import math

from . import theme
from .escape import markup

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 860, 360, 70, 190, 40, 50
_DECADES = (100, 10, 1, 0.1, 0.01)  # of the vertical axis, in percent
_DASHES = ("", "", "7 3", "2 3", "8 3 2 3", "12 4", "4 2")


def _steps(most):
    """Round numbers along the horizontal axis, some six of them."""
    step = 10 ** math.floor(math.log10(most / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if most / (step * factor) <= 6)
    return [step * i for i in range(int(most / step) + 1)]


def curves(title, along, up, found):
    """found: {name: [(x, percent), ...]}; the first has the colour of the default."""
    most = max(x for points in found.values() for x, _ in points)
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def at(x, y):
        down = math.log10(_DECADES[0] / max(y, _DECADES[-1])) / (len(_DECADES) - 1)
        return f"{_LEFT + wide * x / most:.1f}", f"{_TOP + high * down:.1f}"

    def text(x, y, content, anchor="start", fill="soft", weight=""):
        return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="var(--{fill})"{weight}>{markup(content)}</text>'
    shown = [text(_LEFT, 20, title, fill="ink", weight=' font-weight="600"'),
             text(_LEFT + wide / 2, _HEIGHT - 8, along, "middle")]
    for percent in _DECADES:
        x, y = at(0, percent)
        shown += [f'<line x1="{x}" x2="{_LEFT + wide}" y1="{y}" y2="{y}" stroke="var(--grid)"/>',
                  text(_LEFT - 8, float(y) + 4, f"{percent:g} %", "end")]
    shown += [text(at(step, 100)[0], _HEIGHT - 28, f"{step:g}", "middle") for step in _steps(most)]
    for i, (name, points) in enumerate(found.items()):
        path = "L".join(" ".join(at(x, y)) for x, y in points)
        look = f'stroke="var(--{theme.variable(i)})" stroke-dasharray="{_DASHES[i % len(_DASHES)]}"'
        row = _TOP + 14 + 22 * i
        shown += [f'<path d="M{path}" fill="none" stroke-width="2.2" {look}/>',
                  f'<line x1="{_LEFT + wide + 12}" x2="{_LEFT + wide + 40}" y1="{row}" y2="{row}" stroke-width="2.2" {look}/>',
                  text(_LEFT + wide + 46, row + 4, name, fill=theme.variable(i))]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{markup(title)}: '
            f'{markup(up)}"><style>{theme.CSS}svg{{background:var(--paper);font-size:12px}}</style>\n' + "\n".join(shown) + "\n</svg>\n")
