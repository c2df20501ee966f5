# SPDX-License-Identifier: GPL-2.0-only
"""What a search leaves: the front as a table, a picture and mapping files that can be used as they are."""

import json
from pathlib import Path

from .. import escape, plotting, stats
from ..report import words
from . import front


def _titles(result):
    """{axis: "wakeup latency p99"}"""
    sweep = result["sweep"]
    metrics = result["scenarios"][sweep["scenario"]]["metrics"]
    return {axis: metrics[metric]["title"] for axis, metric in sweep["axes"].items()}


def _better(result):
    sweep = result["sweep"]
    metrics = result["scenarios"][sweep["scenario"]]["metrics"]
    return {axis: metrics[metric]["better"] for axis, metric in sweep["axes"].items()}


def _value(result, name, metric):
    """The median over the rounds of a variant that count."""
    return stats.spread([each["metrics"].get(metric) for each in result["rounds"]
                         if each["variant"] == name and not each["warmup"]])["median"]


def _measured(result, name, ratios):
    """[(title, ratio, value with its unit)]"""
    sweep, titles = result["sweep"], _titles(result)
    metrics = result["scenarios"][sweep["scenario"]]["metrics"]
    return [(titles[axis], ratios[axis], f"{words.figure(_value(result, name, metric))} {metrics[metric]['unit']}")
            for axis, metric in sweep["axes"].items()]


def _comment(result, name, ratios, rounds):
    """What was measured where, for the head of a mapping file."""
    scenario = result["scenarios"][result["sweep"]["scenario"]]
    sweep, virtual = result["sweep"]["scenario"], result["environment"].get("virtual")
    lines = [f"Found by schedqos-bench sweep {sweep}, seed {result['seed']}, {words.when(result)}, on",
             words.machine(result) + (f" (a virtual machine: {virtual})" if virtual else ""),
             f"{scenario['title']}: medians of {rounds} rounds of {scenario['seconds']} s, against the announcement's "
             "mapping measured in turn:"]
    lines += [f"  {title}: {ratio:.2f} x, {value}" for title, ratio, value in _measured(result, name, ratios)]
    return "".join(f"// {escape.plain(line)}\n" for line in lines)


def _table(result, names, ratios):
    """The mappings, the best latency first."""
    sweep, titles = result["sweep"], _titles(result)
    classes = list(next(iter(sweep["candidates"].values())))
    heads = ["mapping", *(name.replace("QOS_", "").lower() for name in classes), *titles.values(), "rounds"]
    rows = []
    for name in sorted(names, key=lambda each: ratios[each]["latency"]):
        figures = [f"{ratio:.2f} x ({value})" for _, ratio, value in _measured(result, name, ratios[name])]
        rows.append([name, *sweep["candidates"][name].values(), *figures, len(sweep["samples"][name])])
    return stats.table(heads, rows, left=1 + len(classes))


def _reference(result):
    sweep = result["sweep"]
    measured = _measured(result, sweep["reference"], dict.fromkeys(sweep["axes"]))
    figures = [f"{title} {value}" for title, _, value in measured]
    return f"The announcement's mapping, measured in turn with them: {', '.join(figures)}."


def _text(result, shown, others, ratios, out):
    parts = [f"# Mappings for {result['scenarios'][result['sweep']['scenario']]['title']}", words.machine(result) + ".",
             "Medians of the ratios to the announcement's mapping, each to the rounds of it next before and after. "
             + _reference(result), "## The front", "Nothing that was tried is better than one of these in everything.",
             _table(result, shown, ratios) if shown else "The announcement's mapping: nothing is better in anything."]
    if others:
        parts += ["## The others", "Most of them with few rounds, and dropped by what these have shown.",
                  _table(result, others, ratios)]
    if shown:
        files = ",".join(f"schedqos:{out / 'mappings' / name}.json" for name in shown[:2])
        parts += ["## To confirm", f"    schedqos-bench run {result['sweep']['scenario']} --prepare "
                  f"--variants default,schedqos,{files}"]
    return "\n\n".join(parts) + "\n"


def _plot(result, shown, ratios, out):
    """Where it is, if it can be drawn."""
    if plotting.why_not():
        return []
    from . import plot
    titles = {axis: f"{title}, ratio to the announcement" for axis, title in _titles(result).items()}
    title = f"{result['scenarios'][result['sweep']['scenario']]['title']}: {len(ratios)} mappings"
    (out / "front.svg").write_text(plot.draw(title, ratios, shown, "announcement", titles), encoding="utf-8")
    return [out / "front.svg"]


def write(result, out):
    """Writes all of it; returns the paths. Of a search that was interrupted all candidates are finalists."""
    out, sweep = Path(out).resolve(), result["sweep"]
    ratios = {name: front.medians(samples) for name, samples in sweep["samples"].items()}
    finalists = [name for name in sweep["finalists"] or ratios if name in ratios]
    better = _better(result)
    gains = {name: front.gains(ratios[name], better) for name in finalists}
    gains[sweep["reference"]] = (1.0,) * len(better)
    shown = sorted((name for name in front.front(gains) if name in ratios), key=lambda name: ratios[name]["latency"])
    (out / "mappings").mkdir(exist_ok=True)
    for name in shown:
        text = _comment(result, name, ratios[name], len(sweep["samples"][name]))
        text += json.dumps(result["variants"][name]["classes"], indent="\t") + "\n"
        (out / "mappings" / f"{name}.json").write_text(text, encoding="utf-8")
    others = [name for name in ratios if name not in shown]
    (out / "front.md").write_text(_text(result, shown, others, ratios, out), encoding="utf-8")
    return [out / "front.md", *_plot(result, shown, ratios, out),
            *(out / "mappings" / f"{name}.json" for name in shown)]
