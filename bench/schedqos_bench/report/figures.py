# SPDX-License-Identifier: GPL-2.0-only
"""From the rounds of a result to the figures that are shown."""

import json
from pathlib import Path
from typing import NamedTuple

from .. import histogram
from ..process import Failure
from ..stats import Interval, count_interval, has_enough, ratio_of, ratio_of_counts, spread
from .excluding import excluded

FORMAT = 1
DEFAULT = "default"
PERCENTS = (50, 90, 99, 99.9)

BETTER, WORSE, LOWER, HIGHER = "better", "worse", "lower", "higher"
NO_DIFFERENCE = "no difference shown"
TOO_FEW = "too few values"
NO_INTERVAL = "no interval: zeros"
DISAGREE = "runs disagree"


class Cell(NamedTuple):
    """What a variant has of a metric."""
    summary: dict  # of stats.spread(), and of counts "count", "seconds" and their "interval"; None: not measured
    ratio: Interval  # to the reference; None: no ratio
    verdict: str
    with_all: Interval = None  # the ratio with the rounds that are left out; None: none is
    by_run: tuple = ()  # of a pooled result, each run's ratio


class Line(NamedTuple):
    """A metric, and the variants' cells by their names."""
    key: str
    title: str
    unit: str
    better: str  # "lower", "higher" or None
    headline: bool
    cells: dict
    reference: str  # the variant that ratios are to


class Distribution(NamedTuple):
    """Of one variant, over all rounds."""
    unit: str
    pooled: bool  # percentiles of all samples together; otherwise medians of the rounds' percentiles
    samples: int  # 0: not known
    curve: list  # of (percent, value), rising
    most: float
    rounds: list  # each round's {percent: value, "max": value}
    overall: dict  # the same, pooled or the medians


def load(directory):
    path = Path(directory) / "result.json"
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"{path}: {getattr(error, 'strerror', error)}") from error
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        raise Failure(f"{path}: not a result of schedqos-bench, or of another version of it")
    return result


def all_rounds(result, scenario, variant):
    """The rounds by number, without warm-up rounds."""
    return {each["round"]: each for each in result["rounds"]
            if each["scenario"] == scenario and each["variant"] == variant and not each.get("warmup")}


def rounds(result, scenario, variant):
    """Those that count, by the rule of excluding.py."""
    out = excluded(result, scenario)
    return {number: each for number, each in all_rounds(result, scenario, variant).items() if number not in out}


def variants(result, scenario):
    """The names of those that have rounds there, the default first."""
    names = [name for name in result["variants"] if all_rounds(result, scenario, name)]
    return sorted(names, key=lambda name: name != DEFAULT)


def slots(result):
    """The colours' and markers' numbers of all variants; the default has the first."""
    names = sorted(result["variants"], key=lambda name: name != DEFAULT)
    first = 0 if DEFAULT in result["variants"] else 1
    return {name: i + first for i, name in enumerate(names)}


def values(result, scenario, variant, metric, of=rounds):
    found = {number: each["metrics"].get(metric) for number, each in of(result, scenario, variant).items()}
    return {number: value for number, value in found.items() if value is not None}


def verdict(ratio, better, measured):
    """In words, and no claim where the interval includes 1. measured: all values that are compared, but for counts."""
    if ratio.low is None:
        return NO_INTERVAL if min(measured, default=1) <= 0 else TOO_FEW
    if ratio.low <= 1 <= ratio.high:
        return NO_DIFFERENCE
    direction = LOWER if ratio.high < 1 else HIGHER
    if better not in (LOWER, HIGHER):
        return direction
    return BETTER if direction == better else WORSE


def is_claim(words):
    """Whether a verdict says that there is a difference."""
    return words in (BETTER, WORSE, LOWER, HIGHER)


def reference(result, metric):
    """The variant that ratios of a metric are to: the run's own choice, the metric's, or the default."""
    return result.get("reference") or metric.get("reference") or DEFAULT


def _counted_seconds(result, scenario, key):
    """None of what is no count."""
    described = result["scenarios"][scenario]
    return described.get("counted_seconds", 1) if described["metrics"][key].get("count") else None


def _counts(values_found, seconds):
    return [round(value * seconds) for value in values_found]


def ratio(result, scenario, key, variant, base, of=rounds):
    """
    Of a variant's metric to that of the base, or None. By rounds that both have: the turns of a round come within
    minutes of each other.
    """
    mine, others = (values(result, scenario, name, key, of) for name in (variant, base))
    both = sorted(set(mine) & set(others))
    mine, others = [mine[number] for number in both], [others[number] for number in both]
    seconds = _counted_seconds(result, scenario, key)
    if seconds:
        return ratio_of_counts(_counts(mine, seconds), _counts(others, seconds))
    return ratio_of(mine, others, paired=True)


def _of_run(run):
    return lambda result, scenario, variant: {number: each for number, each in rounds(result, scenario, variant).items()
                                              if each.get("run") == run}


def _summary(found, seconds):
    summary = spread(found)
    if summary and seconds:
        count, whole = sum(_counts(found, seconds)), seconds * len(found)
        summary.update(count=count, seconds=whole, rate=count / whole,
                       interval=[mean / whole for mean in count_interval(count)])
    return summary


def _cell(result, scenario, variant, key, metric):
    base = reference(result, metric)
    seconds = _counted_seconds(result, scenario, key)
    summary = _summary(values(result, scenario, variant, key).values(), seconds) or \
        _summary(values(result, scenario, variant, key, all_rounds).values(), seconds)
    if variant == base:
        return Cell(summary, None, "")
    found = ratio(result, scenario, key, variant, base)
    runs = [ratio(result, scenario, key, variant, base, _of_run(run))
            for run, _ in enumerate(result.get("runs") or (), 1)]
    measured = [] if metric.get("count") else [value for name in (variant, base)
                                               for value in values(result, scenario, name, key).values()]
    words = verdict(found, metric.get("better"), measured) if found else ""
    if is_claim(words) and any(each and (each.ratio - 1) * (found.ratio - 1) < 0 for each in runs):
        words = DISAGREE
    with_all = ratio(result, scenario, key, variant, base, all_rounds) if excluded(result, scenario) else None
    return Cell(summary, found, words, with_all, tuple(runs))


def samples(result, scenario, variant, name):
    """Of a distribution, in a round: the least of all rounds; None: not known."""
    found = []
    for each in rounds(result, scenario, variant).values():
        part = each.get("distributions", {}).get(name)
        if part:
            found.append(sum(count for _, count in part["points"]) if part["kind"] == "histogram"
                         else part.get("samples"))
    return min(found) if found and None not in found else None


def _untold(result, scenario):
    """The keys of percentiles that have too few samples beyond them in a round of some variant."""
    wanted = {key: metric["percentile"] for key, metric in result["scenarios"][scenario]["metrics"].items()
              if metric.get("percentile")}
    counts = {name: [samples(result, scenario, variant, name) for variant in variants(result, scenario)]
              for name in {name for name, _ in wanted.values()}}
    return [key for key, (name, percent) in wanted.items()
            if not all(has_enough(count, percent) for count in counts[name] if count is not None)]


def untold(result, scenario):
    """The titles of those metrics that are not told for that reason."""
    metrics = result["scenarios"][scenario]["metrics"]
    return [metrics[key].get("title") or key for key in _untold(result, scenario)]


def _has(result, scenario, variant, key):
    """Leaves out metrics that the variant reports not to have."""
    return any(each["metrics"].get(key, 0) is not None for each in all_rounds(result, scenario, variant).values())


def lines(result, scenario):
    """One for each metric that has been measured at all and may be told; the headlines first."""
    found, left_out = [], _untold(result, scenario)
    for key, metric in result["scenarios"][scenario]["metrics"].items():
        if key in left_out:
            continue
        cells = {name: _cell(result, scenario, name, key, metric) for name in variants(result, scenario)
                 if _has(result, scenario, name, key)}
        if any(cell.summary or cell.with_all for cell in cells.values()):
            found.append(Line(key, metric.get("title") or key, metric.get("unit") or "", metric.get("better"),
                              bool(metric.get("headline")), cells, reference(result, metric)))
    return sorted(found, key=lambda line: not line.headline)


def all_lines(result):
    """By scenario."""
    return {scenario: lines(result, scenario) for scenario in result["scenarios"]}


def claims(by_scenario):
    """How many intervals there are, of which some miss 1 by chance alone."""
    cells = [cell for found in by_scenario.values() for line in found for cell in line.cells.values()]
    return sum(cell.ratio is not None and cell.ratio.low is not None for cell in cells)


def typical_round(result, scenario, variant):
    """
    Of those with printed figures, the one whose headline metric is the median (the lower one of two), or the first one
    without a headline; None without any.
    """
    found = {number: each for number, each in rounds(result, scenario, variant).items() if each.get("printed")}
    metrics = result["scenarios"][scenario]["metrics"]
    headline = next((key for key, metric in metrics.items() if metric.get("headline")), None)
    ordered = sorted((each["metrics"][headline], number) for number, each in found.items()
                     if each["metrics"].get(headline) is not None)
    if ordered:
        return found[ordered[(len(ordered) - 1) // 2][1]]
    return found[min(found)] if found else None


def _figures(points, most):
    count = sum(each for _, each in points)
    return {**{percent: histogram.percentile(points, percent) for percent in PERCENTS if has_enough(count, percent)},
            "max": most}


def _of_histograms(unit, parts):
    each = [(part["points"], part.get("max") or max(value for value, count in part["points"] if count))
            for part in parts]
    points = histogram.pool(points for points, _ in each)
    samples = sum(count for _, count in points)
    curve, seen = [], 0
    for value, count in points:
        seen += count
        if count and seen < samples:
            curve.append((100 * seen / samples, value))
    most = max(most for _, most in each)
    return Distribution(unit, True, samples, curve, most, [_figures(*one) for one in each], _figures(points, most))


def _of_percentiles(unit, parts):
    each = [{**{percent: value for percent, value in part["points"]
                if "samples" not in part or has_enough(part["samples"], percent)}, "max": part.get("max")} for part in parts]
    percents = sorted({percent for one in each for percent in one if percent != "max"})
    curve = [(percent, spread(one.get(percent) for one in each)["median"]) for percent in percents]
    most = spread(one["max"] for one in each)
    samples = sum(part.get("samples") or 0 for part in parts)
    overall = {**dict(curve), "max": most["median"] if most else None}
    return Distribution(unit, False, samples, curve, most["max"] if most else None, each, overall)


def _has_samples(part):
    points = part.get("points") or []
    return any(count for _, count in points) if part["kind"] == "histogram" else bool(points)


def distribution(result, scenario, variant, name):
    """Over all rounds that have it; None without one."""
    parts = [each["distributions"][name] for each in rounds(result, scenario, variant).values()
             if _has_samples(each.get("distributions", {}).get(name, {"kind": "percentiles"}))]
    if not parts:
        return None
    kind, unit = parts[0]["kind"], parts[0].get("unit") or ""
    same = [part for part in parts if part["kind"] == kind]
    return _of_histograms(unit, same) if kind == "histogram" else _of_percentiles(unit, same)


def distributions(result, scenario):
    """By name, and in each by variant."""
    names = dict.fromkeys(name for each in result["rounds"] if each["scenario"] == scenario
                          for name in each.get("distributions", {}))
    found = {name: {variant: distribution(result, scenario, variant, name) for variant in variants(result, scenario)}
             for name in names}
    return {name: {variant: each for variant, each in by_variant.items() if each}
            for name, by_variant in found.items() if any(by_variant.values())}


def share(result, scenario, variant, name):
    """The spread of "steal_share", of what the hypervisor took, or "other_load", of what other programs used."""
    return spread(each.get(name) for each in all_rounds(result, scenario, variant).values())


def daemon(result, scenario, variant):
    """Its share of one CPU, and seconds of CPU time a round; None without a daemon."""
    found = [each["daemon"] for each in rounds(result, scenario, variant).values() if each.get("daemon")]
    if not found:
        return None
    return spread(one.get("share") for one in found), spread(one.get("cpu_seconds") for one in found)
