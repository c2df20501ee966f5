# SPDX-License-Identifier: GPL-2.0-only
"""Statistics against answers that are known."""

import random
import unittest
from unittest import mock

from schedqos_bench import histogram, stats


class Percentiles(unittest.TestCase):
    def test_nearest_rank(self):
        values = list(range(1, 1001))
        for percent, want in ((50, 500), (90, 900), (99, 990), (99.9, 999), (100, 1000), (0, 1)):
            self.assertEqual(stats.percentile(values, percent), want, percent)

    def test_a_histogram_is_what_its_values_are(self):
        chance = random.Random(1)
        values = [chance.randrange(60) for _ in range(999)]
        points = [[value, values.count(value)] for value in sorted(set(values))]
        for percent in (0, 1, 50, 90, 99, 99.9, 100):
            self.assertEqual(histogram.percentile(points, percent), stats.percentile(values, percent), percent)

    def test_pooled(self):
        pooled = histogram.pool([[[1, 2], [5, 1]], [], [[1, 1], [3, 4]]])
        self.assertEqual(pooled, [[1, 3], [3, 4], [5, 1]])
        self.assertEqual(histogram.percentile(pooled, 50), 3)


class Spread(unittest.TestCase):
    def test_known(self):
        found = stats.spread([4, None, 1, 3, 2])
        self.assertEqual((found["median"], found["min"], found["max"]), (2.5, 1, 4))


class Ratios(unittest.TestCase):
    BASE = [100.0, 104.0, 96.0, 101.0, 99.0, 103.0]

    def ratio(self, mine, base, paired=True, seed="s"):
        return stats.ratio_of_medians(mine, base, seed, paired)

    def test_the_same_is_exactly_one(self):
        self.assertEqual(self.ratio(self.BASE, self.BASE), (1, 1, 1))

    def test_twice_is_exactly_two_when_paired(self):
        self.assertEqual(self.ratio([2 * value for value in self.BASE], self.BASE), (2, 2, 2))

    def test_unpaired_keeps_the_spread(self):
        found = self.ratio([2 * value for value in self.BASE], self.BASE, paired=False)
        self.assertEqual(found.ratio, 2)
        self.assertLess(found.low, 2)
        self.assertGreater(found.high, 2)

    def test_of_five_the_ends_are_the_least_and_the_most(self):
        # All of 5 draws' medians are the least value with a probability of 5.8 %, more than the 2.5 % of an end.
        self.assertEqual(self.ratio([3.0, 1.0, 2.0, 5.0, 4.0], [1.0] * 5), (3, 1, 5))

    def test_of_nine_the_ends_are_the_second_of_each_side(self):
        # The median of nine draws is at most the least value in 0.1 % of all cases, at most the second in 3.0 %.
        self.assertEqual(self.ratio([float(value) for value in range(1, 10)], [1.0] * 9), (5, 2, 8))

    def test_fewer_than_five_have_no_interval(self):
        found = self.ratio(self.BASE[:4], self.BASE[:4])
        self.assertEqual(found, (1, None, None))

    def test_nothing_to_divide_by(self):
        self.assertIsNone(self.ratio(self.BASE, []))
        self.assertIsNone(self.ratio([], self.BASE))
        self.assertIsNone(self.ratio(self.BASE, [0.0] * 6))

    def test_a_zero_among_the_bases_leaves_no_interval(self):
        self.assertIsNone(self.ratio(self.BASE, [0.0, *self.BASE[1:]]).low)

    def test_pairing_takes_out_what_all_of_a_round_share(self):
        chance = random.Random(2)
        rounds = [100 * chance.lognormvariate(0, 1) for _ in range(9)]
        mine = [value * 0.8 * chance.lognormvariate(0, 0.01) for value in rounds]
        paired, unpaired = (self.ratio(mine, rounds, paired) for paired in (True, False))
        self.assertLess(paired.high, 1)
        self.assertGreater(unpaired.high, 1)

    def test_the_seed_decides(self):
        chance = random.Random(3)
        mine = [chance.lognormvariate(0, 1) for _ in range(12)]
        base = [chance.lognormvariate(0, 1) for _ in range(12)]
        self.assertEqual(self.ratio(mine, base, False, "a"), self.ratio(mine, base, False, "a"))
        self.assertNotEqual(self.ratio(mine, base, False, "a"), self.ratio(mine, base, False, "b"))

    def test_about_95_of_100_intervals_hold_the_truth(self):
        chance, held = random.Random(4), 0
        with mock.patch.object(stats, "RESAMPLES", 400):
            for seed in range(200):
                days = [chance.lognormvariate(0, 0.1) for _ in range(8)]
                mine, base = ([day * chance.lognormvariate(0, 0.15) for day in days] for _ in range(2))
                found = self.ratio(mine, base, seed=seed)
                held += found.low <= 1 <= found.high
        self.assertGreater(held, 180)
        self.assertLess(held, 200)
