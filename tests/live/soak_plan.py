# SPDX-License-Identifier: GPL-2.0-only
"""What goes on in each round of the soak test, by its seed: nothing is done here."""

import dataclasses
import random

import scripts
from scripts import BACKGROUND, CONFIG, INITIATED, OTHER_CONFIG, THREADS, UI, UTILITY

NOBODY = 65534
SECONDS = (2, 8)
LOW_MEMORY = 0.25
# Of the lives of a daemon, in rounds; so long a one is left alone, for what grows slowly.
LIVES, LONG = (1, 2, 3, 3, 4, 10), 10

# Programs that do nothing, with what they carry by either configuration.
SLEEPERS = {"soak-ui": (UI, BACKGROUND), "soak-low": (BACKGROUND, UI), "soak-mid": (UTILITY, UTILITY),
            "soak-initiated": (INITIATED, "QOS_DEFAULT"), "soak-none": ("QOS_DEFAULT", INITIATED)}
# One whose threads change their names; so does a hostile one's. Not "make", below which the soak test itself may be.
NAMED, HOSTILE, MAKE = "soak-named", "soak-hostile", "soak-make"
THREAD_NAMES = {"t-ui": UI, "t-low": BACKGROUND, "t-mid": UTILITY, "t-none": UTILITY}


def _config(base, which):
    ours = {name: {"qos": qos[which]} for name, qos in SLEEPERS.items() if qos[which] != "QOS_DEFAULT"}
    return {**base, **ours, NAMED: {"qos": UTILITY, "thread_qos": THREADS},
            HOSTILE: {"thread_qos": {"bench-odd": BACKGROUND}}, MAKE: {"qos": BACKGROUND, "inherit": True}}


CONFIGS = (_config(CONFIG, 0), _config(OTHER_CONFIG, 1))
WRONG = ("{", {"soak-ui": {"qos": "QOS_NONE_SUCH"}}, {"soak-ui": {"qos": UI, "period": "long"}}, {"QOS_UTILITY": []})
# So much that there is no memory for it where there is little.
HUGE = {"program-number-%d" % i: {"qos": UI} for i in range(16000)}

STORMS = ("renames", "renames by many", "renames with a class", "forks", "fork bomb", "execs", "exec after exec",
          "threads")
PROGRAMS = ("make", "shell")
DISTURBANCES = {"kill": 3, "kill and restore": 2, "reload": 4, "wrong reload": 2, "suspend": 3, "sleepers": 6}


@dataclasses.dataclass(frozen=True)
class Round:
    number: int
    seconds: float
    groups: tuple  # of actors: (user, script, seconds between its steps)
    programs: tuple  # (kind, user)
    storms: tuple
    disturbances: tuple  # (seconds since the beginning of the round, what, a number for its details)
    little_memory: int  # bytes; 0: no limit
    stops_in_storm: bool

    def words(self):
        """What can be the cause of something, in words."""
        told = [what for _, what, _ in self.disturbances if what != "sleepers"]
        return sorted({*self.storms, *told, *(["little memory"] if self.little_memory else [])})


def _group(chance, seconds):
    user, pause = chance.choice((0, NOBODY)), chance.choice((0.01, 0.03, 0.1))
    length = max(1, min(120, int(seconds / pause)))
    return user, tuple(scripts.write(chance, user, length, chance.random() < 0.7)), pause


def _disturbances(chance, seconds, is_calm):
    weights = {what: weight for what, weight in DISTURBANCES.items() if not (is_calm and what.startswith("kill"))}
    found = [(0.0, "sleepers", 0)]
    for _ in range(chance.randint(1, 4)):
        what = chance.choices(list(weights), list(weights.values()))[0]
        found.append((chance.uniform(0, seconds), what, chance.random()))
    return tuple(sorted(found))


def plan_round(chance, number, is_calm, is_last):
    seconds = chance.uniform(*SECONDS)
    groups = tuple(_group(chance, seconds) for _ in range(chance.randint(0, 5)))
    programs = tuple((kind, chance.choice((0, NOBODY))) for kind in PROGRAMS if chance.random() < 0.5)
    storms = tuple(chance.sample(STORMS, chance.choice((0, 0, 1, 1, 1, 2, 3))))
    little = not is_calm and is_last and chance.random() < LOW_MEMORY
    disturbances = _disturbances(chance, seconds, is_calm)
    if little and chance.random() < 0.5:
        disturbances += ((seconds, "huge reload", 0),)
    return Round(number, seconds, groups, programs, storms, disturbances,
                 chance.choice((256, 512, 1024, 2048)) * 1024 if little else 0, chance.random() < 0.5)


def plan_lives(seed):
    """Without end: the rounds of each life of a daemon."""
    chance, number = random.Random(seed), 0
    while True:
        length = chance.choice(LIVES)
        life = []
        for i in range(length):
            number += 1
            life.append(plan_round(chance, number, length == LONG, i == length - 1))
        yield life
