# SPDX-License-Identifier: GPL-2.0-only
"""The order of the rounds, and the estimate of their end."""

import unittest

from schedqos_bench import order

SCENARIOS, VARIANTS = ["one", "two"], ["default", "schedqos", "other"]


def plan(seed, rounds=6, warmup=1):
    return order.plan(dict.fromkeys(SCENARIOS, VARIANTS), rounds, warmup, seed)


class Plan(unittest.TestCase):
    def test_warm_up_comes_first(self):
        steps = plan(1, warmup=2)
        self.assertTrue(all(step.warmup for step in steps[:12]))
        self.assertFalse(any(step.warmup for step in steps[12:]))
        self.assertFalse(any(step.warmup for step in plan(1, warmup=0)))

    def test_rounds_are_interleaved(self):
        steps = plan(3)
        for start in range(0, len(steps), 3):
            together = steps[start:start + 3]
            self.assertEqual(sorted(step.variant for step in together), sorted(VARIANTS))
            self.assertEqual(len({(step.scenario, step.round, step.warmup) for step in together}), 1)

    def test_round_seed(self):
        steps = plan(1)
        same = [order.round_seed(1, step) for step in steps
                if (step.scenario, step.round, step.warmup) == ("one", 2, False)]
        self.assertEqual(len(set(same)), 1)
        self.assertEqual(len({order.round_seed(1, step) for step in steps}), 14)
