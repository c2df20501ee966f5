# SPDX-License-Identifier: GPL-2.0-only
"""The order of the rounds: what is compared is measured close together, and which comes first is random."""

import random
from typing import NamedTuple


class Step(NamedTuple):
    scenario: str
    variant: str
    round: int
    warmup: bool


def plan(variants_of, rounds, warmup, seed):
    """
    All steps: in each round every scenario, in each of them every variant, of {scenario: variants}. If it ends early,
    all have the same number of rounds, give or take one.
    """
    chance = random.Random(seed)
    steps = []
    for number, is_warmup in [(n + 1, True) for n in range(warmup)] + [(n + 1, False) for n in range(rounds)]:
        for scenario in chance.sample(list(variants_of), len(variants_of)):
            variants = variants_of[scenario]
            steps += [Step(scenario, variant, number, is_warmup) for variant in chance.sample(variants, len(variants))]
    return steps


def round_seed(seed, step):
    """For a scenario's own random choices: the same for all variants of a round."""
    return random.Random(f"{seed}-{step.scenario}-{step.round}-{step.warmup}").randrange(1 << 31)
