# SPDX-License-Identifier: GPL-2.0-only
"""The order of the rounds, and the estimate of their end."""

import contextlib
import io
import unittest

from schedqos_bench import order, progress

SCENARIOS, VARIANTS = ["one", "two"], ["default", "schedqos", "other"]


def plan(seed, rounds=6, warmup=1):
    return order.plan(dict.fromkeys(SCENARIOS, VARIANTS), rounds, warmup, seed)


class Plan(unittest.TestCase):
    def test_a_seed_decides_it_all(self):
        self.assertEqual(plan(7), plan(7))
        self.assertNotEqual(plan(7), plan(8))

    def test_each_once_in_each_round(self):
        steps = plan(1)
        self.assertEqual(len(steps), 7 * 6)
        self.assertEqual(len(set(steps)), len(steps))

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

    def test_every_variant_comes_first_sometimes(self):
        steps = plan(1, rounds=20)
        self.assertEqual({step.variant for step in steps[::3]}, set(VARIANTS))

    def test_round_seed(self):
        steps = plan(1)
        same = [order.round_seed(1, step) for step in steps
                if (step.scenario, step.round, step.warmup) == ("one", 2, False)]
        self.assertEqual(len(set(same)), 1)
        self.assertEqual(len({order.round_seed(1, step) for step in steps}), 14)


class Estimate(unittest.TestCase):
    def test_what_has_been_seen_counts(self):
        estimate = progress.Estimate()
        self.assertEqual(estimate.left([("one", 30), ("two", 30)]), 60 + 2 * progress.FIRST_GUESS)
        estimate.learn("one", 10, 14)
        estimate.learn("one", 30, 36)
        self.assertEqual(estimate.left([("one", 30), ("two", 30)]), 35 + 30 + progress.FIRST_GUESS)

    def test_words(self):
        self.assertEqual([progress.span(seconds) for seconds in (0, 89, 90, 3599, 3900)],
                         ["0 s", "89 s", "2 min", "1 h 00 min", "1 h 05 min"])

    def test_a_terminal_is_not_told_what_to_do(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            progress.log("one\x1b[2J\ntwo")
        self.assertEqual(errors.getvalue(), "schedqos-bench: one\\x1b[2J\ntwo\n")
