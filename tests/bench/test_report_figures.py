# SPDX-License-Identifier: GPL-2.0-only
"""From rounds to figures: what counts, what is compared, and what may be claimed."""

import json
import tempfile
import unittest
from pathlib import Path

import synthetic
from schedqos_bench.process import Failure
from schedqos_bench.report import figures
from schedqos_bench.stats import Interval


def rounds_of(result, variant):
    return [each for each in result["rounds"] if each["variant"] == variant and not each["warmup"]]


class Loading(unittest.TestCase):
    def test_what_is_no_result(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in (None, "{", "[]", json.dumps({"format": 99})):
                if text is not None:
                    Path(folder, "result.json").write_text(text, encoding="utf-8")
                with self.assertRaises(Failure):
                    figures.load(folder)


class Verdicts(unittest.TestCase):
    def words(self, low, high, better):
        return figures.verdict(Interval(1.0, low, high), better, [1.0])

    def test_no_claim_where_the_interval_holds_one(self):
        for low, high in ((0.5, 1.5), (1, 2), (0.5, 1), (1, 1)):
            self.assertEqual(self.words(low, high, "lower"), figures.NO_DIFFERENCE)

    def test_directions(self):
        for low, high, better, want in ((0.5, 0.9, "lower", "better"), (0.5, 0.9, "higher", "worse"),
                                        (1.1, 1.9, "lower", "worse"), (1.1, 1.9, "higher", "better"),
                                        (0.5, 0.9, None, "lower"), (1.1, 1.9, None, "higher")):
            self.assertEqual(self.words(low, high, better), want)
            self.assertTrue(figures.is_claim(want))

    def test_without_an_interval(self):
        self.assertEqual(self.words(None, None, "lower"), figures.TOO_FEW)
        self.assertEqual(figures.verdict(Interval(1.0, None, None), "lower", [1.0, 0.0]), figures.NO_INTERVAL)
        self.assertFalse(figures.is_claim(figures.TOO_FEW))


class Lines(unittest.TestCase):
    def line(self, result, key):
        return next(line for line in figures.lines(result, "schbench") if line.key == key)

    def setUp(self):
        self.result = synthetic.result(("schbench",), 3, 6)

    def set_metric(self, variant, values, key="rps"):
        for each, value in zip(rounds_of(self.result, variant), values):
            each["metrics"][key] = value

    def test_known_ratio(self):
        self.set_metric("default", [10, 20, 30, 40, 50, 60])
        self.set_metric("schedqos", [30, 60, 90, 120, 150, 180])
        cell = self.line(self.result, "rps").cells["schedqos"]
        self.assertEqual((cell.summary["median"], *map(round, cell.ratio), cell.verdict), (105, 3, 3, 3, "better"))
        self.assertIsNone(self.line(self.result, "rps").cells["default"].ratio)

    def test_paired_by_number_and_not_by_order(self):
        self.set_metric("default", [10, 20, 30, 40, 50, 60])
        self.set_metric("schedqos", [30, 60, 90, 120, 150, 180])
        mine = rounds_of(self.result, "schedqos")
        self.result["rounds"] = [each for each in self.result["rounds"] if each not in mine] + mine[::-1]
        self.assertAlmostEqual(self.line(self.result, "rps").cells["schedqos"].ratio.high, 3)

    def test_rounds_that_only_one_has_are_not_compared(self):
        self.set_metric("default", [10, 20, 30, 40, 50, 60])
        self.set_metric("schedqos", [30, 60, 90, 120, 150, None])
        cell = self.line(self.result, "rps").cells["schedqos"]
        self.assertEqual((round(cell.ratio.ratio, 9), cell.verdict), (3, figures.TOO_FEW))

    def test_warm_up_rounds_do_not_count(self):
        want = figures.lines(self.result, "schbench")
        for each in self.result["rounds"]:
            if each["warmup"]:
                each["metrics"] = {key: 1e9 for key in each["metrics"]}
        self.assertEqual(figures.lines(self.result, "schbench"), want)

    def test_without_a_default_there_are_no_ratios(self):
        self.result["rounds"] = [each for each in self.result["rounds"] if each["variant"] != "default"]
        cells = [cell for line in figures.lines(self.result, "schbench") for cell in line.cells.values()]
        self.assertTrue(cells)
        self.assertFalse(any(cell.ratio for cell in cells))


class Rounds(unittest.TestCase):
    def test_the_typical_one_is_the_median_of_the_headline(self):
        result = synthetic.result(("schbench",), 1, 6)
        for each, value in zip(rounds_of(result, "default"), (5, 1, 6, 3, 4, 2)):
            each["metrics"]["wakeup_p99"] = value
        self.assertEqual(figures.typical_round(result, "schbench", "default")["metrics"]["wakeup_p99"], 3)

    def test_one_that_printed_nothing_is_not_typical(self):
        result = synthetic.result(("schbench",), 1, 1)
        rounds_of(result, "default")[0]["printed"] = {}
        self.assertIsNone(figures.typical_round(result, "schbench", "default"))


class Distributions(unittest.TestCase):
    def test_histograms_are_pooled(self):
        result = synthetic.result(("cyclictest",), 1, 2)
        for each, points in zip(rounds_of(result, "default"), ([[1, 98], [9, 2]], [[1, 99], [100, 1]])):
            each["distributions"]["latency"]["points"] = points
        found = figures.distribution(result, "cyclictest", "default", "latency")
        self.assertEqual((found.pooled, found.samples, found.most), (True, 200, 100))
        self.assertEqual(found.overall, {50: 1, 90: 1, "max": 100})  # two samples lie beyond the 99th
        self.assertEqual([one["max"] for one in found.rounds], [9, 100])
        self.assertEqual(found.curve, [(98.5, 1), (99.5, 9)])

    def test_percentiles_cannot_be(self):
        result = synthetic.result(("schbench",), 1, 3)
        for each, value in zip(rounds_of(result, "default"), (10, 30, 20)):
            each["distributions"]["wakeup"] = {"unit": "us", "kind": "percentiles", "samples": 500, "max": value * 9,
                                               "points": [[50.0, value], [90.0, value * 2], [99.0, 7]]}
        found = figures.distribution(result, "schbench", "default", "wakeup")
        self.assertEqual((found.pooled, found.samples, found.most), (False, 1500, 270))
        self.assertEqual(found.overall, {50: 20, 90: 40, "max": 180})

    def test_rounds_without_one(self):
        result = synthetic.result(("schbench",), 2, 2)
        for each in rounds_of(result, "schedqos"):
            each["distributions"] = {"wakeup": {"unit": "us", "kind": "histogram", "points": []}}
        self.assertIsNone(figures.distribution(result, "schbench", "schedqos", "wakeup"))
        self.assertEqual(list(figures.distributions(result, "schbench")["wakeup"]), ["default"])
