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

# So much more memory than at first is growth. Of fewer rounds nobody can say what grows.
GROWTH = 1.1
ROUNDS_MIN = 6


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
COUNTS = {"wrong": "wrong tasks", "traces": "traces", "faults": "faults", "late": "tasks right only later",
          "kills": "kills survived", "starved": "kills for want of memory survived", "restores": "restores",
          "suspended": "suspensions", "reloads": "reloads", "reloads_failed": "reloads refused", "lost": "losses",
          "scans": "scans", "rename_floods": "floods of renames", "refused": "refusals", "not_kept": "not kept",
          "problems": "problems", "checked": "tasks looked at", "forks": "forks heard", "execs": "execs heard",
          "renames": "renames heard"}
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


def growth(samples, what):
    """What grows between the first third of these rounds and the last one, in words."""
    plain = [sample for sample in samples if not sample.little_memory and sample.descriptors]
    if len(plain) < ROUNDS_MIN:
        return
    first, last = thirds(plain)
    before, after = (statistics.median(values(part, "resident")) for part in (first, last))
    if after > before * GROWTH:
        yield "resident memory %s: %.0f KiB, later %.0f" % (what, before, after)
    before, after = (max(values(part, "descriptors")) for part in (first, last))
    if after > before:
        yield "descriptors %s: %d, later %d" % (what, before, after)


def verdict(samples):
    """What is not as it should be, in words."""
    found = ["%s: %d" % (COUNTS[key], sum(sample.counts[key] for sample in samples)) for key in FATAL
             if any(sample.counts[key] for sample in samples)]
    found += growth(samples, "of all daemons")
    for life in sorted({sample.life for sample in samples}):
        found += growth([sample for sample in samples if sample.life == life], "of daemon %d" % life)
    return found


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
    return text
