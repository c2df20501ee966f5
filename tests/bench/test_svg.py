# SPDX-License-Identifier: GPL-2.0-only
"""What plots are made of: axes and labels."""

import itertools
import unittest
from xml.etree import ElementTree

from schedqos_bench import svg
from schedqos_bench.events import charts


class Axes(unittest.TestCase):
    def test_log(self):
        axis = svg.Log([1, 10000], 0, 400, margin=0)
        self.assertEqual([axis.at(value) for value in (1, 10, 100, 10000)], [0, 100, 200, 400])
        self.assertEqual(axis.ticks(), [1, 10, 100, 1000, 10000])

    def test_log_has_ticks_however_short_it_is(self):
        for low, high in ((5, 5), (5, 6), (0.9, 1.1), (2, 9), (17, 1234), (1e-3, 1e3)):
            with self.subTest(low=low, high=high):
                axis = svg.Log([low, high], 0, 400)
                self.assertGreaterEqual(len(axis.ticks()), 2)
                self.assertLessEqual(len(axis.ticks()), 12)
                self.assertTrue(0 <= axis.at(low) <= axis.at(high) <= 400)

    def test_linear_is_in_round_steps(self):
        self.assertEqual(svg.Linear([0, 100], 0, 400, margin=0).ticks(), [0, 20, 40, 60, 80, 100])
        axis = svg.Linear([98, 100], 0, 400)
        self.assertGreater(axis.low, 90)
        self.assertEqual(svg.Linear([1, 100], 0, 400).low, 0)

    def test_linear_of_one_value(self):
        for value in (0, 7, -3):
            self.assertTrue(svg.Linear([value], 0, 400).ticks(), value)


class Quantities(unittest.TestCase):
    def test_times(self):
        for value, unit, want in ((4, "us", "4 µs"), (1500, "us", "1.5 ms"), (1000, "us", "1 ms"),
                                  (2.5e6, "us", "2.5 s"), (0, "us", "0"), (250, "ns", "0.25 µs"),
                                  (3, "1/s", "3 1/s"), (7200, "s", "7,200 s")):
            self.assertEqual(svg.quantity(value, unit), want)

    def test_numbers(self):
        for value, want in ((0, "0"), (1234, "1,234"), (0.125, "0.125"), (12.345, "12.3"), (2.5e6, "2.5M")):
            self.assertEqual(svg.number(value), want)

    def test_long_names_lose_their_middle(self):
        self.assertEqual(svg.shortened("abcdefghij", 5), "ab…ij")
        self.assertEqual(svg.shortened("abcde", 5), "abcde")


class Labels(unittest.TestCase):
    def test_apart_and_in_order(self):
        wanted = [50, 52, 51, 200, 0, 1]
        places = svg.spread_labels(wanted, 0, 300, 15)
        for (want, place), (want2, place2) in itertools.combinations(zip(wanted, places), 2):
            self.assertGreaterEqual(abs(place - place2), 15 - 1e-9)
            self.assertEqual(want < want2, place < place2)
        self.assertEqual(places[3], 200)

    def test_within_the_limits(self):
        for wanted in ([0] * 8, [300] * 8, [0, 300, 300, 0, 150]):
            places = svg.spread_labels(wanted, 10, 290, 15)
            self.assertGreaterEqual(min(places), 10)
            self.assertLessEqual(max(places), 290)
            ordered = sorted(places)
            self.assertTrue(all(b - a >= 15 - 1e-9 for a, b in zip(ordered, ordered[1:])), places)

    def test_beside_points_none_covers_another(self):
        labels = svg.Labels(0, 0, 400, 300)
        for x, y in ((200, 150), (205, 152), (198, 149), (390, 10)):
            labels.block(x, y, 5)
        points = len(labels.taken)
        for x, y in ((200, 150), (205, 152), (198, 149), (390, 10)):
            labels.place(x, y, "variant", 1)
        for one, other in itertools.combinations(labels.taken[points:], 2):
            self.assertFalse(one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3])
        self.assertTrue(all(0 <= box[0] and box[2] <= 400 for box in labels.taken[points:]))


class Slots(unittest.TestCase):
    def looks(self, slot):
        return svg.marker(0, 0, slot), svg.curve([(0, 0), (1, 1)], slot)

    def test_the_first_36_differ_and_none_looks_like_the_default(self):
        looks = [self.looks(slot) for slot in range(37)]
        self.assertEqual(len(set(looks)), 37)
        self.assertEqual([slot for slot in range(37) if svg.colour(slot) == 0], [0])


class Charts(unittest.TestCase):
    def test_a_picture_that_stands_alone(self):
        lines = {"one": [(1, 2), (10, 0), (100, 30)], "none": [(0, 0)]}
        text = charts.draw([charts.Chart("a <b>", "x & y", "z", lines),
                            charts.Chart("empty", "x", "y", {})])
        root = ElementTree.fromstring(text)
        texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("a <b>", texts)
        self.assertIn("one", texts)
        self.assertNotIn("none", texts)
        self.assertIn("prefers-color-scheme:dark", text)


if __name__ == "__main__":
    unittest.main()
