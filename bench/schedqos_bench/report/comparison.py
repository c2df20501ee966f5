# SPDX-License-Identifier: GPL-2.0-only
"""Two results against each other: first what was different from the start, then the ratios of B to A."""

from ..escape import plain
from ..stats import ratio_of_medians, spread
from . import figures, words
from .markdown import grouped, heading, labelled, paragraph, verbatim

_METHOD = ("Medians over the rounds (least-most) and their ratio with its 95 % interval by bootstrap. The rounds of "
           "two runs are not paired: what changed on the machine in between counts as a difference.")


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


def _ratio(first, second, scenario, variant, key):
    """Of B's median to A's; rounds of two runs have nothing in common, so they are not paired."""
    base, mine = (list(figures.values(result, scenario, variant, key).values()) for result in (first, second))
    seed = f"{first['seed']} {second['seed']} {scenario} {variant} {key}"
    return base, mine, ratio_of_medians(mine, base, seed, paired=False)


def _groups(first, second, scenario):
    """(title, rows) of each metric, the headlines first, and how many intervals there are."""
    metrics = first["scenarios"][scenario]["metrics"]
    variants = _both(figures.variants(first, scenario), figures.variants(second, scenario))
    keys = _both(metrics, second["scenarios"][scenario]["metrics"])
    keys.sort(key=lambda key: not metrics[key].get("headline"))
    groups, intervals = [], 0
    for key in keys if variants else ():
        title, unit, better = (metrics[key].get(name) for name in ("title", "unit", "better"))
        cells = []
        for name in variants:
            base, mine, ratio = _ratio(first, second, scenario, name, key)
            intervals += ratio is not None and ratio.low is not None
            cells.append([f"  {plain(name)}", words.spread(spread(base)), words.spread(spread(mine)),
                          words.ratio(ratio), words.difference(figures.verdict(ratio, better, base)) if ratio else ""])
        groups.append((words.heading(title or key, unit or "", better), cells))
    return groups, intervals


def _runs(directories, results):
    return verbatim(labelled([(label, f"{directory}: {words.run(result)}")
                              for label, directory, result in zip("AB", directories, results)]))


def _results(first, second, scenarios):
    found, total = [], 0
    for scenario in scenarios:
        groups, intervals = _groups(first, second, scenario)
        total += intervals
        found += heading(first["scenarios"][scenario].get("title") or scenario, "-")
        found += verbatim(grouped(groups, ["  variant", "A", "B", "B / A", "difference"])) if groups else \
            paragraph("No variant that both have measured.")
    return found + paragraph(f"{_METHOD} {words.chance(total)}")


def text(first_name, first, second_name, second):
    scenarios, variants = (_both(first[what], second[what]) for what in ("scenarios", "variants"))
    found = heading("Comparison of two results", "=") + _runs((first_name, second_name), (first, second))
    found += heading("Differences of the environment", "-") + _differing(first["environment"], second["environment"])
    found += heading("Differences of what was run", "-")
    found += _differing(*(_setup(result, scenarios, variants) for result in (first, second))) + _only(first, second)
    return "\n".join(found + _results(first, second, scenarios)).rstrip("\n") + "\n"
