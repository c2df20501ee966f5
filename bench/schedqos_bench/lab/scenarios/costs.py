# SPDX-License-Identifier: GPL-2.0-only
"""
What the daemon costs: CPU time of its process and of its helpers for each kind of operation, one by one ("idle") and as
fast as they can be done ("storm"), with several numbers of rules; and the time from an exec to its class. The bare
listener is the price of hearing the events at all.
"""

import tempfile

from ... import attr
from ...folders import CONFIGS
from ...process import Failure
from ...storms import rules
from ...variants import write_configs

NAME, TITLE = "costs", "CPU time of the daemon for each operation"
VARIANTS, SEEDS = "none,schedqos", 1
IGNORES = ("weights", "slice_ns", "features")
RUNS_DAEMON = True
JUDGED = False
APPLETS = ()
TOOLS = ("forks", "execs", "threads", "renames", "tiny", "other", "probe", "probed")

OPERATIONS = ("fork", "exec", "exec-sets", "rename", "thread")
KINDS = ("idle", "storm")
# Number of operations of each kind. A storm of cheap ones has more of them: the kernel's tick decides how many of them
# share a wake-up, and with few operations that would decide the result.
_COUNTS = {"idle": 100, "storm": 200, "storm_of_many": 1000}
RULES = (0, 10, 15000)
MAPPING = "balanced"
_PROBES, _PROBE_PAUSE_US, _PROBE_RULES = 100, 5000, 10

# A program that was tagged before its main began finds its class at its first look.
_FIRST_LOOK_NS = 10_000


# With the setting "accounting" each exit is heard, too; an operation of this row is a fork with its exit.
_ACCOUNTING = "accounting"


def _rules(count):
    own = rules.config(None)
    if count == _ACCOUNTING:
        return {**own, "schedqos": {**own["schedqos"], "accounting": True}}
    if not count:
        return {"schedqos": own["schedqos"]}
    return rules.filled(own, count) if count > len(rules.OWN) else own


def add_options(parser):
    parser.add_argument("--rules", default=",".join(map(str, RULES)), metavar="LIST",
                        help="costs: with so many rules (%(default)s)")


def own_words(options):
    return [] if options.rules == ",".join(map(str, RULES)) else ["--rules", options.rules]


def counts(options):
    words, own = options.rules.split(","), len(rules.OWN)
    if not all(word.isdecimal() and (int(word) == 0 or int(word) >= own) for word in words):
        raise Failure(f"--rules {options.rules}: expected numbers, 0 or at least {own}, with commas between")
    return [int(word) for word in words]


def fill(archive, variant, options):
    if variant.kind == "command":
        raise Failure("costs are those of schedqos and, with none, of the bare listener; there is no cmd:")
    for count in (*counts(options), _ACCOUNTING) if variant.executable else ():
        with tempfile.TemporaryDirectory(prefix="schedqos-lab-") as folder:
            write_configs(folder, _rules(count), variant.mapping or CONFIGS / "mappings" / f"{MAPPING}.json")
            archive.add_folder(f"/lab/rules/{count}", folder)


def _probe(seed):
    """The slices are left out: some kernels have none."""
    initiated, interactive = attr.Attr(attr.NORMAL, -3, 0), attr.Attr(attr.NORMAL, -4, 0)
    return (f"say \"result {seed}/probe $(bench-probe {_PROBES} {_PROBE_PAUSE_US} {seed} /lab/bench-probed {initiated} "
            f"probe-a {interactive} probe-b {initiated})\"")


def script(variant, seeds, options):
    lines = [". /lab/costs", *(f"{name}={count}" for name, count in _COUNTS.items())]
    if not variant.executable:
        lines += ["start_listener", *(f"costs {seed}/bare $listener" for seed in seeds), "stop_listener"]
        return "\n".join([*lines, ""])
    for count in (*counts(options), _ACCOUNTING):
        lines.append(f"start_daemon --config /lab/rules/{count}/bench.json --configs-path /lab/rules/{count}/configs")
        for seed in seeds:
            lines.append(f"costs{'_of_forks' if count == _ACCOUNTING else ''} {seed}/{count} $daemon")
            if count == _PROBE_RULES:
                lines.append(_probe(seed))
        lines.append("stop_daemon")
    return "\n".join([*lines, ""])


def _of_probe(found):
    after = [tagged - main for tagged, main in zip(found["exec"], found["exec_main"])]
    times = sorted(found["exec"])
    return {"execve itself, p50": sorted(found["exec_main"])[len(after) // 2] / 1000,
            "exec to class, p50": times[len(times) // 2] / 1000,
            "exec to class, p99": times[(len(times) * 99 + 99) // 100 - 1] / 1000,
            "class at first look in main": 100 * sum(each < _FIRST_LOOK_NS for each in after) / len(after)}


def _shown(label):
    count, kind, operation = label.split("/")
    return f"{operation}, {kind}" + {"bare": "", _ACCOUNTING: ", accounting"}.get(count, f", {count} rules")


def values(results, _):
    found, probe = {}, {}
    for label, value in results:
        if label == "probe":
            probe = _of_probe(value)
            continue
        name = _shown(label)
        for part in ("main", "helper"):
            found[f"{name}: {part}"] = value[part] / value["ops"] / 1000
    return {**found, **probe}


def units(options):
    labels = [f"{count}/{kind}/{operation}" for count in ("bare", _ACCOUNTING, *counts(options)) for kind in KINDS
              for operation in OPERATIONS]
    return {**{f"{_shown(label)}: {part}": "us" for label in labels for part in ("main", "helper")},
            "execve itself, p50": "us", "exec to class, p50": "us", "exec to class, p99": "us",
            "class at first look in main": "%"}
