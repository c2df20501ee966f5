# SPDX-License-Identifier: GPL-2.0-only
"""What the soak test has seen, as tables, and whether that is as it should be: figures only."""

import collections
import dataclasses
import os
import statistics
import sys

from daemon import TOP

sys.path.append(os.path.join(TOP, "bench"))

from schedqos_bench.stats import table  # noqa: E402

# So much more memory than at first is growth: of many rounds only, since what went on in a few decides about it.
GROWTH = 1.1
ROUNDS_MEMORY, ROUNDS_DESCRIPTORS = 30, 6


@dataclasses.dataclass
class Sample:
    """Of one round."""

    number: int
    life: int
    words: list  # what went on that may be the cause of something
    little_memory: bool
    seconds: float = 0
    resident: int = 0  # KiB
    descriptors: int = 0
    cpu: float = 0  # seconds
    latest: float = 0  # seconds until the last task was right, after the daemon had caught up
    counts: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    @property
    def share(self):
        return 100 * self.cpu / self.seconds if self.seconds else 0


# What is summed up, by its key in Sample.counts; the first ones must not be.
COUNTS = {
    "wrong": "wrong tasks", "traces": "traces", "faults": "faults", "late": "tasks right only later",
    "kills": "kills survived", "starved": "kills for want of memory survived", "restores": "restores",
    "suspended": "suspensions", "takeovers": "takeovers from a look that hung", "reloads": "reloads",
    "reloads_failed": "reloads refused", "lost": "losses", "scans": "scans", "rename_floods": "floods of renames",
    "refused": "refusals", "not_kept": "not kept", "problems": "problems", "checked": "tasks looked at",
    "forks": "forks heard", "execs": "execs heard", "renames": "renames heard",
}
FATAL = ("wrong", "traces", "faults")
GAUGES = {"resident": ("resident memory, KiB", "%.0f"), "descriptors": ("descriptors", "%d"),
          "share": ("CPU of the daemon, % of one", "%.1f")}


def thirds(samples):
    """The first and the last."""
    count = max(1, len(samples) // 3)
    return samples[:count], samples[-count:]


def values(samples, key):
    """Where memory was short, none says what is usual."""
    return [getattr(sample, key) for sample in samples if getattr(sample, key) and not sample.little_memory]


def rows(samples):
    first, last = thirds(samples)
    for key, (what, style) in GAUGES.items():
        found = [values(part, key) for part in (first, last, samples)]
        cells = [statistics.median(part) if part else 0 for part in found]
        yield [what, *(style % cell for cell in (*cells[:2], max(found[2], default=0), cells[2]))]
    latest = ["%.1f" % max(sample.latest for sample in part) for part in (first, last, samples)]
    for key, what in COUNTS.items():
        counts = [[sample.counts[key] for sample in part] for part in (first, last, samples)]
        yield [what, sum(counts[0]), sum(counts[1]), max(counts[2]), sum(counts[2])]
        if key == "late":
            yield ["  the last of them after, s", *latest, latest[2]]


def causes(samples):
    """Of the rounds in which events were lost: what went on in them."""
    found = collections.Counter()
    rounds = collections.Counter(" + ".join(sample.words) or "nothing" for sample in samples)
    for sample in samples:
        if sample.counts["lost"]:
            found[" + ".join(sample.words) or "nothing"] += sample.counts["lost"]
    return [[what, rounds[what], lost] for what, lost in found.most_common()]


def usual(samples):
    return [sample for sample in samples if not sample.little_memory and sample.descriptors]


def more_memory(samples):
    """In words."""
    if len(usual(samples)) < ROUNDS_MEMORY:
        return []
    first, last = (statistics.median(values(part, "resident")) for part in thirds(usual(samples)))
    return ["resident memory: %.0f KiB, later %.0f" % (first, last)] if last > first * GROWTH else []


def more_descriptors(samples, whose):
    """In words."""
    if len(usual(samples)) < ROUNDS_DESCRIPTORS:
        return []
    first, last = (max(values(part, "descriptors")) for part in thirds(usual(samples)))
    return ["descriptors of %s: %d, later %d" % (whose, first, last)] if last > first else []


def lives(samples):
    """The rounds of each life of a daemon."""
    found = collections.defaultdict(list)
    for sample in samples:
        found[sample.life].append(sample)
    return found


def verdict(samples):
    """What is not as it should be, in words."""
    found = ["%s: %d" % (COUNTS[key], sum(sample.counts[key] for sample in samples)) for key in FATAL
             if any(sample.counts[key] for sample in samples)]
    found += more_memory(samples) + more_descriptors(samples, "all daemons")
    for life, rounds in lives(samples).items():
        found += more_descriptors(rounds, "daemon %d" % life)
    return found


def ages(samples):
    """What those daemons that were left alone for long had of memory after their first rounds and after their last."""
    old = [thirds(usual(rounds)) for rounds in lives(samples).values() if len(usual(rounds)) >= ROUNDS_DESCRIPTORS]
    if not old:
        return ""
    young, aged = (statistics.median(value for parts in old for value in values(parts[i], "resident")) for i in (0, 1))
    return "\n\nResident memory of %d daemons that lived long, KiB: %.0f at first, %.0f at last." % (
        len(old), young, aged)


def report(samples, seed):
    samples = [sample for sample in samples if sample.seconds]
    if not samples:
        return "No round was ended."
    text = "%d rounds in %.0f s, %d daemons, seed %s.\n\n" % (
        len(samples), sum(sample.seconds for sample in samples), len({sample.life for sample in samples}), seed)
    text += table(["what", "first third", "last third", "worst round", "all"], list(rows(samples)))
    text += "\n\nA median of rounds for memory (those with little of it aside), descriptors and CPU; else a sum."
    lost = causes(samples)
    if lost:
        text += "\n\n" + table(["losses by what went on in the round", "rounds", "losses"], lost)
    text += ages(samples)
    if len(usual(samples)) < ROUNDS_MEMORY:
        text += "\n\nToo few rounds to say whether memory grows."
    return text
