# SPDX-License-Identifier: GPL-2.0-only
"""How figures and facts are put into words, for the mail, the page and the comparison alike."""

import datetime
import math
import shlex

from .. import order
from ..counters import TITLES
from ..escape import plain
from ..stats import LEAST_BEYOND, LEAST_ROUNDS, by_chance
from . import excluding, figures

_LABELS = {"kernel": "Kernel", "config": "Kernel config", "cpu": "CPU", "cpus": "CPUs", "memory_bytes": "Memory",
           "distribution": "Distribution", "virtual": "Virtual machine", "versions": "Versions",
           "commit": "schedqos commit", "sysctls": "Sysctls", "governor": "Governor",
           "cgroup_cpu": "Cgroup CPU controller", "smt": "SMT", "numa": "NUMA", "capacities": "CPU capacities",
           "idle": "Idle states", "sched_ext": "sched_ext", "cgroup_mode": "cgroup_mode", "kernel_commit": "Kernel's git hash",
           "not_read": "Could not be read"}

_NOT_SHOWN = ("boot",)  # only whether it is another one matters

# The share of the CPUs from which a round is named. Other load includes the kernel's work for the scenario: it is never 0.
WORTH_TELLING = 0.05
_TAKEN = {"other_load": "other programs used", "steal_share": "the host took away"}

METHOD = (
    "Figures are medians over the rounds, with the least and the most of them. Warm-up rounds are left out.",
    "A ratio is the typical one of a variant's figure to the default's, or to that of the variant that is named, in the "
    "same round (Hodges and Lehmann's estimate). Its 95 % interval holds all ratios that Wilcoxon's signed-rank test does "
    "not reject, with 2 % at each end: whatever the distribution, at most 4 in 100 miss, as long as rounds do not depend "
    "on each other.",
    "Counts have the interval of a count that comes singly (Garwood's). The interval of their ratio is the wider, at each "
    "end, of that by the totals (Clopper and Pearson's) and that over the rounds by signed ranks: what comes in bursts "
    "would have too narrow a one by the totals alone.",
    "Where the interval includes 1, no difference has been shown, whatever the figures are. With fewer than "
    f"{LEAST_ROUNDS} rounds there is no interval: five rounds agree by chance in 6 of 100 cases.",
    f"A percentile with fewer than {LEAST_BEYOND} samples beyond it, in any round, is not told.",
)


def rule(result):
    """The rules that were fixed before the first round."""
    planned = result.get("planned") or {}
    shown = [f"{planned['rounds']} rounds after {planned['warmup']} to warm up"] if planned else []
    shown += [f"{key} {value}" for key, value in (("seed", result["seed"]),) if not result.get("runs")]
    return (f"Fixed before the first round: {', '.join([*shown, 'variants in balanced order'])}. A round is left out, for all "
            f"variants, if others (programs and the host) took more than {excluding.limit(result):.0%} of the CPUs while one "
            "of them was measured, or heat slowed the CPUs down; the ratio with these rounds stands next to the other.")


def counted(result, scenario):
    """Sentences: which rounds are left out, and which percentiles; the runs of a pooled result."""
    untold = figures.untold(result, scenario)
    found = [" ".join(excluded(result, scenario))]
    if untold:
        found.append(f"Not told, with fewer than {LEAST_BEYOND} samples beyond them in a round: {', '.join(untold)}.")
    return found + [f"Pooled from {'; '.join(runs(result))}. Rounds are compared within their run; if runs disagree about "
                    "the direction, nothing is claimed."] * bool(result.get("runs"))


def excluded(result, scenario):
    """Which rounds are left out, and why."""
    found = excluding.excluded(result, scenario)
    numbers = {each["round"] for each in result["rounds"] if each["scenario"] == scenario and not each.get("warmup")}
    if not found:
        return [f"No round is left out of {len(numbers)}."]
    why = "; ".join(f"round {number} ({variant}: {why})" for number, each in sorted(found.items()) for variant, why in each)
    none = " No round is left, so figures are those of all of them, and nothing is claimed." if found.keys() == numbers else ""
    return [f"{len(found)} of {len(numbers)} rounds are left out: {why}.{none}"]


def runs(result):
    """The runs that a result is pooled from."""
    return [f"run {number}: {_date(each['began'])}, seed {each['seed']}" for number, each in enumerate(result.get("runs") or (), 1)]


def figure(value):
    """Three digits that count; whole numbers as they are."""
    if float(value).is_integer() or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def duration(value, unit):
    """A latency the way people say it: 4.2 ms."""
    sizes = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    if unit not in sizes:
        return f"{figure(value)} {unit}".rstrip()
    micros = value * sizes[unit]
    for name, size in (("s", 1e6), ("ms", 1e3), ("us", 1.0)):
        if micros >= size * 0.9995 or name == "us":
            return f"{micros / size:.3g} {name}"


def latency(name):
    """The title of a distribution."""
    return name if "latency" in name.lower() else f"{name} latency"


def spread(summary):
    if summary is None:
        return "not measured"
    if "count" in summary:
        low, high = summary["interval"]
        return f"{figure(summary['rate'])} [{figure(low)}, {figure(high)}] ({summary['count']} in all)"
    shown = figure(summary["median"])
    if len(summary["values"]) > 1:
        shown += f" ({figure(summary['min'])}-{figure(summary['max'])})"
    return shown


def _factor(value):
    """Never "1.00" for what is not 1: of an interval's ends, that is what matters."""
    if value in (0, math.inf):
        return "inf" if value else "0"
    digits = 2
    while value != 1 and round(value, digits) == 1 and digits < 6:
        digits += 1
    return f"{value:.{digits}f}" if value >= 0.1 else f"{value:.2g}"


def ratio(interval):
    if interval is None:
        return ""
    shown = f"{interval.ratio:.2f}" if 0.1 <= interval.ratio or not interval.ratio else f"{interval.ratio:.2g}"
    if interval.low is not None:
        shown += f" [{_factor(interval.low)}, {_factor(interval.high)}]"
    return shown


def difference(verdict):
    """For a column that is called so."""
    return "none shown" if verdict == figures.NO_DIFFERENCE else verdict


def percent(share):
    return f"{share * 100:.2f}%"


def preferred(unit, better):
    """"us, lower is better"."""
    good = f"{better} is better" if better in (figures.LOWER, figures.HIGHER) else ""
    return ", ".join(part for part in (unit, good) if part)


def heading(title, unit, better):
    """"wakeup latency p99 (us, lower is better)"."""
    about = preferred(unit, better)
    return f"{title} ({about})" if about else title


def about(each):
    """Of a figures.Line."""
    to = "" if each.reference == figures.DEFAULT else f"to {each.reference}"
    return ", ".join(filter(None, (preferred(each.unit, each.better), to)))


def line(each):
    """The heading of a figures.Line: as above, with what its ratios are to where that is not the default."""
    shown = about(each)
    return f"{each.title} ({shown})" if shown else each.title


def base(lines):
    """What the ratios of these are to."""
    return "the default" if all(each.reference == figures.DEFAULT for each in lines) else "the reference"


def _value(key, value):
    if key == "memory_bytes":
        return f"{value / (1 << 30):.1f} GiB"
    if value is None:
        return "none"
    if value is False:
        return "no"
    if value is True:
        return "yes"
    if isinstance(value, dict):
        return " ".join(f"{name}={_value('', each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return "; ".join(map(str, value)) or "nothing"
    return "; ".join(str(value).split("\n"))


def environment(result):
    """(label, text) of everything that is known; a nested value is "NAME=VALUE ..."."""
    return [(_LABELS.get(key, key.replace("_", " ").capitalize()), _value(key, value))
            for key, value in result["environment"].items() if key not in _NOT_SHOWN]


def _attributes(attributes):
    """Of a class: "SCHED_BATCH, nice 4, slice 20 ms, util_max 256"."""
    found = []
    for name, value in attributes.items():
        short = name[len("sched_"):] if name.startswith("sched_") else name
        if short == "policy":
            found.append(str(value))
        elif short == "runtime" and isinstance(value, (int, float)):
            found.append(f"slice {value / 1e6:g} ms")
        else:
            found.append(f"{short} {_value('', value)}")
    return ", ".join(found)


def variant(description):
    """(what it is, [(class, its attributes)])."""
    kind = description.get("kind")
    weights = f", {' '.join(description['settings'])}" if description.get("settings") else ""
    weights += f", a session's group weighing {description['weights']}" if description.get("weights") else ""
    if kind == "none":
        return f"no daemon{weights}", []
    if kind == "command":
        return description.get("command", ""), []
    classes = [(name, _attributes(attributes)) for name, attributes in (description.get("classes") or {}).items()]
    if kind == "reference":
        return "the least that could be in the daemon's place", []
    rules = f" and {description['rules']:,} rules" if description.get("rules") else ""
    return f"schedqos with mapping {description.get('mapping', '?')}{rules}{weights}", classes


def command(argv):
    return argv if isinstance(argv, str) else shlex.join(map(str, argv))


def _date(began):
    return datetime.datetime.fromisoformat(began).strftime("%Y-%m-%d %H:%M:%S %z").replace("+0000", "UTC")


def when(result):
    return _date(result["began"])


def number_of_rounds(result):
    """"6 rounds", or "2 to 6 rounds" of each variant."""
    counts = [len(figures.all_rounds(result, scenario, name)) for scenario in result["scenarios"]
              for name in figures.variants(result, scenario)]
    if not counts:
        return "no complete round"
    least, most = min(counts), max(counts)
    if least == most:
        return f"{most} round{'s' if most != 1 else ''} of each variant"
    return f"{least} to {most} rounds of each variant"


def machine(result):
    """What it was measured on, in a line; the rest is in environment()."""
    known = result["environment"]
    parts = [known.get("cpu"), f"{known['cpus']} CPUs" if known.get("cpus") else None,
             f"Linux {known['kernel']}" if known.get("kernel") else None, known.get("distribution")]
    return ", ".join(str(part) for part in parts if part)


def daemon_cost(cost):
    """Of figures.daemon()."""
    if not cost or not cost[0]:
        return "-"
    share, seconds = cost
    return f"{percent(share['median'])} of a CPU" + (f", {figure(seconds['median'])} s" if seconds else "")


COSTS = ("variant", "daemon's CPU time", "steal time", "other programs")


CHANGES = "What has been shown to get better and worse, by its ratio; for the rest no difference has been shown:"


def changes(lines):
    """[("VARIANT: better" or "VARIANT: worse", "TITLE RATIO; ...")] of every variant that has intervals."""
    found = {}
    for each in lines:
        for name, cell in each.cells.items():
            if not cell.ratio or cell.ratio.low is None or each.better not in (figures.LOWER, figures.HIGHER):
                continue
            sides = found.setdefault(name, {figures.BETTER: [], figures.WORSE: []})
            if cell.verdict in sides:
                sides[cell.verdict].append(f"{each.title} {_factor(cell.ratio.ratio)}")
    return [(f"{name}: {side}", "; ".join(shown) or "nothing")
            for name, sides in found.items() for side, shown in sides.items()]


def costs(result, scenario):
    """Rows under COSTS: what was spent beside the scenario, in shares of all CPUs but for the daemon."""
    def share(name, key):
        summary = figures.share(result, scenario, name, key)
        return f"{percent(summary['median'])} (<= {percent(summary['max'])})" if summary else "-"
    return [[name, daemon_cost(figures.daemon(result, scenario, name)), share(name, "steal_share"),
             share(name, "other_load")] for name in figures.variants(result, scenario)]


def counters(result, scenario):
    """Rows: what the kernel counted, for each variant; none where nothing was."""
    found = {name: [each.get("counters") or {} for each in figures.rounds(result, scenario, name).values()]
             for name in figures.variants(result, scenario)}
    rows = []
    for key, title in TITLES.items():
        medians = [figures.spread(each.get(key) for each in rounds) for rounds in found.values()]
        if any(medians):
            rows.append([title, *(figure(each["median"]) if each else "-" for each in medians)])
    return [["", *(str(i) if len(found) > 3 else plain(name)[:18] for i, name in enumerate(found, 1))], *rows] if rows else []


def notes(result, scenario):
    """All notes, those of warm-up rounds included, and the rounds in which others took much of the CPUs."""
    found = []
    for each in result["rounds"]:
        if each["scenario"] == scenario:
            about = f"{each['variant']}, {'warm-up' if each.get('warmup') else 'round'} {each['round']}: "
            found += [about + note for note in each.get("notes") or []]
            found += [f"{about}{what} {each[key]:.0%} of the CPUs" for key, what in _TAKEN.items()
                      if (each.get(key) or 0) > WORTH_TELLING]
    return found


def _length(seconds):
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


def _order(result):
    variants = {scenario: figures.variants(result, scenario) for scenario in result["scenarios"]}
    whole = all(order.is_balanced(len(figures.all_rounds(result, scenario, name)), names)
                for scenario, names in variants.items() for name in names)
    return "in a balanced order" if whole else "in an order that is not fully balanced"


def run(result):
    """What was run, in a sentence or two."""
    seeds = ", ".join(str(each["seed"]) for each in result.get("runs") or [result])
    pooled = f"{len(result['runs'])} runs pooled, " if result.get("runs") else ""
    shown = f"{when(result)}: {pooled}{number_of_rounds(result)}, {_order(result)} from seed {seeds}, " \
            f"{_length(result['seconds'])} in all."
    return shown if result.get("finished") else shown + " The run was interrupted: this is what it had by then."


def chance(count):
    """How many of so many intervals may miss 1 although there is nothing."""
    if not count:
        return ""
    mean, most = by_chance(count)
    return (f"Of the {count} interval{'s' if count > 1 else ''} here, {mean:.3g} may miss 1 by chance alone, on average, and up to "
            f"{most} in 95 of 100 reports, if they do not depend on each other.")
