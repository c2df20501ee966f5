# SPDX-License-Identifier: GPL-2.0-only
"""What sweep tries: mappings that differ from the announcement's in policy, nice and slice of some classes."""

import argparse
import itertools
from typing import NamedTuple

# From the most urgent class to the least, as the rules name them.
LEVELS = ("QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND")
SHORT = {"interactive": LEVELS[0], "initiated": LEVELS[1], "utility": LEVELS[2], "background": LEVELS[3]}
POLICIES = ("NORMAL", "BATCH", "IDLE")
NS_PER_MS = 1_000_000

# Around what was found by hand: nice decides how CPU time is divided, the slice who waits for whom.
DEFAULT = {
    LEVELS[0]: {"policy": ["NORMAL"], "nice": [-4, -6, -8, -10], "slice": [0.5, 1, 2, 4, 8]},
    LEVELS[1]: {"policy": ["NORMAL", "BATCH"], "nice": [-2, -4, -6], "slice": [0.5, 1, 2, 4, 12]},
    LEVELS[2]: {"policy": ["BATCH"], "nice": [2], "slice": [16]},
    LEVELS[3]: {"policy": ["BATCH", "IDLE"], "nice": [2, 4, 6, 9], "slice": [20, 50, 100]},
}


class Choice(NamedTuple):
    """Of one class; SCHED_IDLE has neither nice nor slice: the kernel looks at neither."""

    policy: str
    nice: int = None
    slice_ms: float = None

    def __str__(self):
        return self.policy if self.policy == "IDLE" else f"{self.policy} {self.nice:+d}, {self.slice_ms:g} ms"

    def over(self, attributes):
        """The attributes of a class with this choice laid over them."""
        kept = {name: value for name, value in attributes.items() if name.startswith("sched_util")}
        found = {"sched_policy": f"SCHED_{self.policy}"}
        if self.policy != "IDLE":
            found.update(sched_nice=self.nice, sched_runtime=round(self.slice_ms * NS_PER_MS))
        return {**found, **kept}


def _values(attribute, text):
    if attribute == "policy":
        values = [word.upper().replace("SCHED_", "") for word in text.split(",")]
        good = all(value in POLICIES for value in values)
    elif attribute == "nice":
        values = [int(word) for word in text.split(",")]
        good = all(-20 <= value <= 19 for value in values)
    else:
        values = [float(word) for word in text.split(",")]
        good = all(0.1 <= value <= 100 for value in values)
    if not good:
        raise ValueError
    return values


def parse(text):
    """"interactive.nice=-4,-6", for argparse: (class, attribute, values)."""
    place, _, values = text.partition("=")
    short, _, attribute = place.partition(".")
    if short not in SHORT or attribute not in ("policy", "nice", "slice"):
        raise argparse.ArgumentTypeError(f"{text}: expected CLASS.ATTRIBUTE=VALUE,..., of {', '.join(SHORT)} and "
                                         "policy, nice, slice")
    try:
        return SHORT[short], attribute, _values(attribute, values)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: policies are {', '.join(POLICIES)}; nice goes from -20 to 19, "
                                         "a slice from 0.1 to 100 (ms)") from None


def narrowed(tries):
    """The space, with what is to be tried instead."""
    space = {name: dict(values) for name, values in DEFAULT.items()}
    for name, attribute, values in tries:
        space[name][attribute] = values
    return space


def used(rules):
    """The classes that a scenario's rules name, of those that can be searched."""
    names = set()
    for rule in rules.values():
        names |= {rule.get("qos"), *rule.get("thread_qos", {}).values()}
    return [name for name in LEVELS if name in names]


def choices(values):
    """Of one class, each once."""
    found = {}
    for policy, nice, slice_ms in itertools.product(values["policy"], values["nice"], values["slice"]):
        found[Choice(policy) if policy == "IDLE" else Choice(policy, nice, slice_ms)] = None
    return list(found)


def _in_order(mapping):
    """A more urgent class has neither less weight nor a longer slice. IDLE comes after all."""
    for urgent, other in zip(mapping, mapping[1:]):
        if urgent.policy == "IDLE" and other.policy != "IDLE":
            return False
        if "IDLE" in (urgent.policy, other.policy):
            continue
        if urgent.nice > other.nice or urgent.slice_ms > other.slice_ms:
            return False
    return True


def mappings(classes, space):
    """All mappings worth trying: tuples of a Choice for each of the classes."""
    return [each for each in itertools.product(*(choices(space[name]) for name in classes)) if _in_order(each)]


def full(base, classes, mapping):
    """The whole mapping: the announcement's classes, with those chosen laid over them."""
    chosen = dict(zip(classes, mapping))
    return {name: chosen[name].over(attributes) if name in chosen else attributes for name, attributes in base.items()}
