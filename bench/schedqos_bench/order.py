# SPDX-License-Identifier: GPL-2.0-only
"""
The order of the rounds: what is compared is measured close together. Each variant comes first, second and so on equally
often, once in as many rounds as there are variants; which begins is left to chance.
"""

import random
from typing import NamedTuple


class Step(NamedTuple):
    scenario: str
    variant: str
    round: int
    warmup: bool


def _rotations(names, chance):
    """Yields an order for each round: of a random one, all rotations, in random order, then those of another one."""
    while True:
        order = chance.sample(names, len(names))
        for start in chance.sample(range(len(names)), len(names)):
            yield order[start:] + order[:start]


def is_balanced(rounds, variants):
    """Whether each variant has each place in the order equally often."""
    return rounds % len(variants) == 0


def plan(variants_of, rounds, warmup, seed):
    """
    All steps: in each round every scenario, in each of them every variant, of {scenario: variants}. If it ends early,
    all have the same number of rounds, give or take one.
    """
    chance = random.Random(seed)
    steps = []
    for count, is_warmup in (warmup, True), (rounds, False):
        scenarios = _rotations(list(variants_of), chance)
        variants = {scenario: _rotations(names, chance) for scenario, names in variants_of.items()}
        for number in range(1, count + 1):
            steps += [Step(scenario, variant, number, is_warmup)
                      for scenario in next(scenarios) for variant in next(variants[scenario])]
    return steps


def round_seed(seed, step):
    """For a scenario's own random choices: the same for all variants of a round."""
    return random.Random(f"{seed}-{step.scenario}-{step.round}-{step.warmup}").randrange(1 << 31)
