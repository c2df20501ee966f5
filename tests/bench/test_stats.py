# SPDX-License-Identifier: GPL-2.0-only
"""Statistics against answers that are known."""

import random
import unittest

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

    def near(self, found, want):
        for one, other in zip(found, want):
            self.assertAlmostEqual(one, other)

    def test_the_same_is_exactly_one(self):
        self.assertEqual(stats.ratio_of(self.BASE, self.BASE, True), (1, 1, 1))

    def test_twice_is_two_when_paired(self):
        self.near(stats.ratio_of([2 * value for value in self.BASE], self.BASE, True), (2, 2, 2))

    def test_unpaired_keeps_the_spread(self):
        found = stats.ratio_of([2 * value for value in self.BASE], self.BASE, False)
        self.assertAlmostEqual(found.ratio, 2)
        self.assertLess(found.low, 2)
        self.assertGreater(found.high, 2)

    def test_of_six_the_ends_are_the_least_and_the_most(self):
        # Wilcoxon's table: of 6 none may be left out, of 8 three of the 36 averages, of 10 seven.
        self.near(stats.ratio_of([3.0, 1.0, 2.0, 5.0, 4.0, 6.0], [1.0] * 6, True)[1:], (1, 6))
        for count, cut in (6, 1), (8, 4), (10, 8), (20, 51):
            self.assertEqual(stats._signed_ranks(count), cut)
        # Mann and Whitney's: of four and four the extremes, of five and five two of the 25 differences are left out.
        for count, cut in (3, 0), (4, 1), (5, 3), (10, 23):
            self.assertEqual(stats._rank_sums(count, count), cut)

    def test_too_few_have_no_interval(self):
        self.assertEqual(stats.ratio_of(self.BASE[:5], self.BASE[:5], True), (1, None, None))
        self.assertEqual(stats.ratio_of(self.BASE[:3], self.BASE[:3], False), (1, None, None))

    def test_nothing_to_divide_by(self):
        self.assertIsNone(stats.ratio_of(self.BASE, [], True))
        self.assertIsNone(stats.ratio_of([], self.BASE, True))
        self.assertIsNone(stats.ratio_of(self.BASE, [0.0] * 6, True))

    def test_a_zero_leaves_no_interval(self):
        self.assertIsNone(stats.ratio_of(self.BASE, [0.0, *self.BASE[1:]], True).low)
        self.assertIsNone(stats.ratio_of([0.0, *self.BASE[1:]], self.BASE, True).low)

    def test_pairing_takes_out_what_all_of_a_round_share(self):
        chance = random.Random(2)
        rounds = [100 * chance.lognormvariate(0, 1) for _ in range(9)]
        mine = [value * 0.8 * chance.lognormvariate(0, 0.01) for value in rounds]
        paired, unpaired = (stats.ratio_of(mine, rounds, paired) for paired in (True, False))
        self.assertLess(paired.high, 1)
        self.assertGreater(unpaired.high, 1)


class Counts(unittest.TestCase):
    def test_of_one_count(self):
        # Garwood's table.
        for count, low, high in (0, 0, 3.689), (1, 0.0253, 5.572), (10, 4.795, 18.39):
            found = stats.count_interval(count)
            self.assertAlmostEqual(found[0], low, 3)
            self.assertAlmostEqual(found[1], high, 2)

    def test_none_against_many_is_no_certainty(self):
        found = stats.ratio_of_counts([0] * 6, [6, 7, 5, 8, 6, 6])
        self.assertEqual(found[:2], (0, 0))
        self.assertAlmostEqual(found.high, 0.1084, 3)

    def test_a_burst_in_one_round_shows_nothing(self):
        found = stats.ratio_of_counts([40, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 1])
        self.assertEqual(found.ratio, 20.5)
        self.assertLessEqual(found.low, 1)

    def test_nothing_counted_is_nothing_known(self):
        self.assertIsNone(stats.ratio_of_counts([0] * 6, [0] * 6))
        self.assertEqual(stats.ratio_of_counts([1] * 5, [1] * 5), (1, None, None))

    def test_how_many_miss_by_chance(self):
        mean, most = stats.by_chance(40)
        self.assertAlmostEqual(mean, 1.6)
        self.assertEqual(most, 4)


class Percentile(unittest.TestCase):
    def test_ten_samples_have_to_lie_beyond(self):
        for samples, percent, enough in (1000, 99, True), (999, 99, False), (10_000, 99.9, True), (9_999, 99.9, False):
            self.assertEqual(stats.has_enough(samples, percent), enough, (samples, percent))
