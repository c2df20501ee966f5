# SPDX-License-Identifier: GPL-2.0-only
"""One workload under one variant: what it took, what was lost, what came out wrong."""

from . import workloads

# Of a storm's start, which is heard as well: fork and exec of it, and its two workers.
START_EVENTS = 4

COUNTS = ("forks", "execs", "renames", "lost", "set", "races")


def _counts(variant):
    counts = variant.counts()
    return {name: counts.get(name, 0) for name in COUNTS}


def _sample(variant, before, counts_before, ops, ns):
    """What the listener used for a workload that is over. Its counters cost it CPU time, so they come last."""
    variant.settle()
    used = variant.usage().since(before)
    counts = {name: value - counts_before[name] for name, value in _counts(variant).items()}
    return {"ops": ops, "ns": ns, "cpu_ns": used.cpu_ns, "switches": used.switches,
            "dropped": used.dropped, **counts}


def storm(variant, build, kind, ops):
    counts_before = _counts(variant)
    with workloads.Storm(build, kind, variant, ops) as running:
        variant.settle()
        before = variant.usage()
        running.go()
        result = running.result()
        sample = _sample(variant, before, counts_before, result["ops"], result["ns"])
        sample["checked"] = len(result["kept"]) if variant.tags else 0
        sample["wrong"] = running.wrong(result["kept"]) if variant.tags else ()
        sample["foreign"] = foreign(sample, kind, variant)
    return sample


def foreign(sample, kind, variant):
    """Events heard beyond ours: the rest of the machine's."""
    if not variant.pid:
        return 0
    ours = sample["ops"] * kind.events + START_EVENTS + variant.asking_events
    return max(0, sample["forks"] + sample["execs"] + sample["renames"] - ours)


def make(variant, build):
    """An operation is an exec here, counted by the listener itself; where nobody listens, the whole build is one."""
    counts_before = _counts(variant)
    variant.settle()
    before = variant.usage()
    ns = build.run(variant)
    sample = _sample(variant, before, counts_before, 1, ns)
    sample["ops"] = max(1, sample["execs"])
    return {**sample, "checked": 0, "wrong": (), "foreign": 0}
