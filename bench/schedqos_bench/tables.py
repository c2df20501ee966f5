# SPDX-License-Identifier: GPL-2.0-only
"""
The tables of figures.md that are measured in real time, the numbers of the README and its plot: how each is measured,
where its raw values are kept (bench/data), and its text, which is made of these values and nothing else.
"""

import json
import shlex
from pathlib import Path
from typing import NamedTuple

from . import histogram, marked, vector
from .folders import ROOT
from .process import Failure
from .report import excluding, figures, words
from .stats import table as markdown_table

DATA = ROOT / "bench" / "data"
PAGE, README, PLOT = ROOT / "src" / "doc" / "figures.md", ROOT / "README.md", ROOT / "src" / "doc" / "frames.svg"
SIZE_MAX = 1_000_000  # bytes, of all raw values together

_ROUND = ("scenario", "variant", "round", "warmup", "began", "metrics", "other_load", "steal_share", "throttled", "notes")
_RESULT = ("format", "began", "seconds", "seed", "finished", "reference", "planned", "exclude_above", "command",
           "environment", "findings", "variants", "skipped")


class Table(NamedTuple):
    name: str
    scenario: str
    metrics: tuple  # the rows: (metric, how it is called)
    options: str  # of schedqos-bench run
    plot: str = ""  # the distribution that is kept for the README's plot


def _layouts(*names):
    rows = []
    for layout in names:
        rows += [(f"frames_done_p99_{layout}", f"`{layout}`: frame done, p99"), (f"frames_missed_{layout}", "frames missed"),
                 (f"sound_done_p99_{layout}", "sound done, p99"), (f"sound_late_{layout}", "sound late"),
                 (f"build_objects_{layout}", "objects built")]
    return tuple(rows)


_BROWSER = tuple((f"{key}_{layout}", f"{place}: {title}") for layout, place in (("one", "one cgroup"), ("border", "a border"))
                 for key, title in (("late", "late frames"), ("frame_p50", "frame time, p50"), ("frame_p99", "p99"),
                                    ("frame_max", "longest"), ("key_p50", "key to frame, p50"),
                                    ("build_objects", "objects built")))

TABLES = (
    Table("browser", "browser", _BROWSER,
          "browser --prepare --duration 20 --rounds 6 --seed 4601 "
          "--variants default,schedqos:balanced,schedqos:announcement", "one: frame time"),
    Table("firefox", "browser", _BROWSER,
          "browser --browser firefox --prepare --duration 20 --rounds 6 --seed 4608 --variants default,schedqos:balanced"),
    Table("frames", "frames", _layouts("flat", "session", "services", "apps"),
          "frames --prepare --duration 32 --rounds 8 --seed 4602 "
          "--variants default,schedqos:balanced,schedqos:balanced+weights,schedqos:announcement"),
    Table("schbench", "schbench",
          (("wakeup_p50", "wakeup, p50"), ("wakeup_p99", "wakeup, p99"), ("request_p50", "request, p50"),
           ("request_p99", "request, p99"), ("rps", "requests"), ("build_objects", "objects built")),
          "schbench --prepare --duration 20 --rounds 6 --seed 4604 "
          "--variants default,schedqos:balanced,schedqos:announcement"),
    Table("cyclictest", "cyclictest",
          (("avg", "average"), ("p99", "p99"), ("p99.9", "p99.9"), ("max", "longest"), ("hackbench_time", "hackbench's time")),
          "cyclictest --prepare --duration 20 --rounds 6 --seed 4605 "
          "--variants default,schedqos:balanced,schedqos:announcement"),
    Table("events", "events", (("fork_cpu", "a fork"), ("exec_cpu", "an exec"), ("threads_cpu", "a thread with a name"),
                               ("exec_p50", "exec to class, p50"), ("exec_p90", "p90"), ("lost", "events lost")),
          "events --rounds 8 --seed 4607 --variants default,bare,schedqos"),
)


def _path(table):
    return DATA / f"{table.name}.json"


def _short(value):
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _pooled(result, table):
    """{variant: the distribution of all rounds that count}, in tenths of a millisecond."""
    found = {}
    for name in figures.variants(result, table.scenario):
        parts = [each["distributions"][table.plot]["points"] for each in
                 figures.rounds(result, table.scenario, name).values() if table.plot in each["distributions"]]
        points = histogram.pool([[round(value / 100) / 10, count] for value, count in part] for part in parts)
        found[name] = points
    return found


def keep(result, table, path=None):
    """Keeps the raw values of a result for a table: as text, a line for each measurement."""
    kept = {key: result[key] for key in _RESULT if key in result}
    # A boot command line names disks and services, which are nobody's business.
    kept["environment"] = {key: value for key, value in kept["environment"].items() if key != "command_line"}
    kept["scenarios"] = {table.scenario: result["scenarios"][table.scenario]}
    if table.plot:
        kept["pooled"] = _pooled(result, table)
    rounds = [{**{key: each[key] for key in _ROUND if key in each},
               "metrics": {key: _short(value) for key, value in each["metrics"].items()}} for each in result["rounds"]
              if each["scenario"] == table.scenario]
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in kept.items()]
    lines.append('"rounds": [\n' + ",\n".join(map(json.dumps, rounds)) + "\n]")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    path = path or _path(table)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(str(ROOT), "."), encoding="utf-8")


def command(table):
    return f"sudo bench/schedqos-bench run {table.options}"


def _command_of(result):
    """Returns the command that a result was measured by, without the folder it went to."""
    arguments = result["command"][1:]
    if "--out" in arguments:
        at = arguments.index("--out")
        arguments = arguments[:at] + arguments[at + 2:]
    return "sudo bench/schedqos-bench " + shlex.join(arguments)


def _load(table):
    path = _path(table)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _value(cell, unit):
    if not cell or not cell.summary:
        return "-"
    if "rate" in cell.summary:
        low, high = cell.summary["interval"]
        unit = f" {unit}" if unit else ""
        return f"{words.figure(cell.summary['rate'])}{unit} [{words.figure(low)}, {words.figure(high)}]"
    return words.duration(cell.summary["median"], unit)


def _cell(cell, unit):
    shown = _value(cell, unit)
    if cell and cell.ratio:
        shown += f"; {words.ratio(cell.ratio)}"
        if cell.with_all:
            shown += f" (all rounds {words.ratio(cell.with_all)})"
        if cell.verdict == figures.DISAGREE:
            shown += " (runs disagree)"
    return shown


def _about(result, table, count):
    counted = words.counted(result, table.scenario)
    described = result["scenarios"][table.scenario]
    return " ".join(filter(None, (
        f"{words.run(result)} {words.machine(result)}.", f"Built beside it: {described['tree']}." if described.get("tree") else "",
        *counted, f"The limit is {excluding.limit(result):.0%}.", words.chance(count))))


def text(table):
    """The table in Markdown, with all that it needs to be judged."""
    result = _load(table)
    if result is None:
        return ("Not measured yet by the rules below: the machine has to be quiet for it. `sudo make measure "
                f"TABLES={table.name}` does, by:\n\n```sh\n{command(table)}\n```")
    lines = {line.key: line for line in figures.lines(result, table.scenario)}
    names = figures.variants(result, table.scenario)
    rows = []
    for key, title in table.metrics:
        line = lines.get(key)
        if line:
            rows.append([title, *(_cell(line.cells.get(name), line.unit) for name in names)])
    shown = [line for line in lines.values() if line.key in dict(table.metrics)]
    return "\n".join([f"```sh\n{_command_of(result)}\n```", "", markdown_table(["", *names], rows, left=1 + len(names)), "",
                      _about(result, table, figures.claims({table.scenario: shown}))])


def _sentence(result):
    """The README's numbers."""
    cells = {line.key: line.cells for line in figures.lines(result, "browser")}
    late, frame = cells["late_one"], cells["frame_p99_one"]
    ours, without = "schedqos:balanced", "default"
    return (f"Next to the build of a kernel in the same cgroup, a page in Chromium that computes for 6 ms in each frame has "
            f"{words.figure(late[ours].summary['rate'])} instead of {words.figure(late[without].summary['rate'])} late frames a "
            f"second ({words.ratio(late[ours].ratio)} times as many; in brackets the 95 % interval), and the p99 of its frame times "
            f"is {_value(frame[ours], 'us')} instead of {_value(frame[without], 'us')}. The [figures](src/doc/figures.md) have other "
            "programs, other cgroups, and the cases in which nothing is gained, or a wake-up comes later; [the "
            "lab](src/doc/lab.md) has other kernels, and one to four CPUs.")


_TITLE = "Share of a browser's frames that take longer, next to a build in the same cgroup"


def _picture(result):
    """The plot as SVG: how many frames take longer than so many ms; None without values."""
    curves = {}
    for name, points in (result or {}).get("pooled", {}).items():
        count, beyond, curve = sum(number for _, number in points), 0, []
        for value, number in reversed(points):
            beyond += number
            curve.append((value, 100 * beyond / count))
        if curve:
            curves["no daemon" if name == "default" else name.removeprefix("schedqos:")] = curve[::-1]
    return vector.alone(vector.curves(_TITLE, "ms from one frame to the next", curves)) if curves else None


def pages():
    """{path: text, or None for none} of all that is made of raw values."""
    page, readme = PAGE.read_text(encoding="utf-8"), README.read_text(encoding="utf-8")
    for table in TABLES:
        page = marked.replaced(page, table.name, text(table))
    plotted = next(table for table in TABLES if table.plot)
    result = _load(plotted)
    picture = _picture(result)
    readme = marked.replaced(readme, "numbers", _sentence(result) if result else "")
    readme = marked.replaced(readme, "plot", f"![{_TITLE}]({PLOT.relative_to(ROOT)})" if picture else "")
    return {PAGE: page, README: readme, PLOT: picture}


def differing():
    """The paths of pages that are not what the raw values say."""
    found = []
    for path, content in pages().items():
        is_now = path.read_text(encoding="utf-8") if path.exists() else None
        if is_now != content:
            found.append(path)
    return found


def write():
    for path, content in pages().items():
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(content, encoding="utf-8")


def chosen(names):
    by_name = {table.name: table for table in TABLES}
    wrong = [name for name in names if name not in by_name]
    if wrong:
        raise Failure(f"no table is called {', '.join(wrong)}: they are {', '.join(by_name)}")
    return [by_name[name] for name in names] if names else list(TABLES)
