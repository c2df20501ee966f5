# SPDX-License-Identifier: GPL-2.0-only
"""Two results against each other: first what was different from the start, then the ratios of B to A."""

import statistics

from ..escape import plain
from ..process import Failure
from ..stats import ratio_of, spread
from . import figures, words
from .markdown import grouped, heading, labelled, paragraph, verbatim

_METHOD = ("Medians over the {unit}s (least-most) and the typical ratio of B's to A's (Hodges and Lehmann's) with the 95 % "
           "interval that the Mann-Whitney test gives, which needs four {unit}s of each or more. ")
_OF_ROUNDS = _METHOD.format(unit="round") + ("Rounds of two runs are not paired: what differs from boot to boot, or changed on "
                                             "the machine in between, counts as a difference. --boots avoids that.")
_OF_BOOTS = _METHOD.format(unit="boot") + ("A boot is one value, the median of its rounds: kernels lay out memory and place "
                                           "interrupts anew at each, so more rounds of one boot say nothing about the next.")


def _flat(value, name=""):
    """{"config.CONFIG_HZ": "250", ...}."""
    if not isinstance(value, dict):
        return {name: value}
    return {path: each for key, inner in value.items()
            for path, each in _flat(inner, f"{name}.{key}" if name else key).items()}


def _differences(first, second):
    """[(name, what A has, what B has)], in A's order."""
    left, right = _flat(first), _flat(second)
    return [(name, left.get(name), right.get(name)) for name in dict.fromkeys([*left, *right])
            if left.get(name) != right.get(name)]


def _shown(value):
    return "-" if value is None else plain(words.command(value) if isinstance(value, list) else value)


def _differing(first, second):
    found = []
    for name, left, right in _differences(first, second):
        found += [plain(name), f"  A  {_shown(left)}", f"  B  {_shown(right)}"]
    return verbatim(found) if found else paragraph("No difference.")


def _both(first, second):
    return [name for name in first if name in second]


def _setup(result, scenarios, variants):
    """What was run, as far as both have it."""
    described = {name: {key: result["scenarios"][name].get(key) for key in ("commands", "options", "seconds", "rules")}
                 for name in scenarios}
    return {**described, **{name: result["variants"][name] for name in variants}}


def _only(first, second):
    """What only one of them has."""
    found = []
    for what in ("scenarios", "variants"):
        for label, mine, other in (("A", first, second), ("B", second, first)):
            missing = [name for name in mine[what] if name not in other[what]]
            if missing:
                found += paragraph(f"Only {label} has the {what} {', '.join(missing)}.")
    return found


def _of_rounds(side, scenario, variant, key):
    return list(figures.values(side[0], scenario, variant, key).values())


def _of_boots(side, scenario, variant, key):
    """A median for each boot."""
    found = {}
    for each in side:
        found.setdefault(_boot(each), []).extend(figures.values(each, scenario, variant, key).values())
    return [statistics.median(values) for values in found.values() if values]


def _boot(result):
    """What tells it from other boots; an old result does not say: the run is taken for one."""
    return result["environment"].get("boot") or result["began"]


def _groups(sides, values, scenario):
    """(title, rows) of each metric, the headlines first, and how many intervals there are."""
    first, second = (side[0] for side in sides)
    metrics = first["scenarios"][scenario]["metrics"]
    variants = _both(figures.variants(first, scenario), figures.variants(second, scenario))
    keys = _both(metrics, second["scenarios"][scenario]["metrics"])
    keys.sort(key=lambda key: not metrics[key].get("headline"))
    groups, intervals = [], 0
    for key in keys if variants else ():
        title, unit, better = (metrics[key].get(name) for name in ("title", "unit", "better"))
        cells = []
        for name in variants:
            base, mine = (values(side, scenario, name, key) for side in sides)
            ratio = ratio_of(mine, base, paired=False)
            intervals += ratio is not None and ratio.low is not None
            cells.append([f"  {plain(name)}", words.spread(spread(base)), words.spread(spread(mine)),
                          words.ratio(ratio), words.difference(figures.verdict(ratio, better, base)) if ratio else ""])
        groups.append((words.heading(title or key, unit or "", better), cells))
    return groups, intervals


def _runs(sides, names):
    return verbatim(labelled([(label, f"{name}: {words.run(each)}") for label, side, of in zip("AB", sides, names)
                              for each, name in zip(side, of)]))


def _results(sides, values, method, scenarios):
    found, total = [], 0
    for scenario in scenarios:
        groups, intervals = _groups(sides, values, scenario)
        total += intervals
        found += heading(sides[0][0]["scenarios"][scenario].get("title") or scenario, "-")
        found += verbatim(grouped(groups, ["  variant", "A", "B", "B / A", "difference"])) if groups else \
            paragraph("No variant that both have measured.")
    return found + paragraph(f"{method} {words.chance(total)}")


def _text(sides, names, values, method):
    first, second = (side[0] for side in sides)
    scenarios, variants = (_both(first[what], second[what]) for what in ("scenarios", "variants"))
    found = heading("Comparison of two results" if values is _of_rounds else "Comparison of two kernels by boots", "=")
    found += _runs(sides, names)
    found += heading("Differences of the environment", "-") + _differing(first["environment"], second["environment"])
    found += heading("Differences of what was run", "-")
    found += _differing(*(_setup(result, scenarios, variants) for result in (first, second))) + _only(first, second)
    return "\n".join(found + _results(sides, values, method, scenarios)).rstrip("\n") + "\n"


def text(first_name, first, second_name, second):
    return _text(([first], [second]), ([first_name], [second_name]), _of_rounds, _OF_ROUNDS)


def of_boots(names, results):
    """The results of any number of boots of two kernels; that of the first is A."""
    kernels = list(dict.fromkeys(each["environment"].get("kernel") for each in results))
    if len(kernels) != 2:
        raise Failure(f"--boots compares two kernels, and these are {len(kernels)}: {'; '.join(map(str, kernels))}")
    chosen = [[i for i, each in enumerate(results) if each["environment"].get("kernel") == kernel] for kernel in kernels]
    return _text(*([[of[i] for i in numbers] for numbers in chosen] for of in (results, names)), _of_boots, _OF_BOOTS)
