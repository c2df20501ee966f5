# SPDX-License-Identifier: GPL-2.0-only
"""References, goals and curves: what a scenario of storms adds to the report."""

import unittest

import synthetic
from schedqos_bench.report import figures, goals, markdown, page

BARE, FEW, MANY = "bare", "schedqos", "schedqos+15000"


def result(rounds=5):
    """CPU of 10, 12 and 12.6 us under the three, and rates and latencies that one of them has not."""
    found = synthetic.result(("service",), 3, rounds)
    names = dict(zip(synthetic.NAMES, (BARE, FEW, MANY)))
    found["variants"] = {names[name]: each for name, each in found["variants"].items()}
    found["variants"][BARE] = {"kind": "reference"}
    found["scenarios"]["service"]["metrics"] = {
        "cpu": {"title": "listener's CPU", "unit": "us", "better": "lower", "headline": True, "reference": BARE},
        "wrong": {"title": "wrongly tagged", "unit": "", "better": "lower", "headline": False}}
    for each in found["rounds"]:
        each["variant"] = names[each["variant"]]
        cpu = {BARE: 10.0, FEW: 12.0, MANY: 12.6}[each["variant"]] * (1 + each["round"] / 10)
        each["metrics"] = {"cpu": cpu, "wrong": None if each["variant"] == BARE else each["round"] % 2}
        each["distributions"]["latency"]["points"] = [[100 if each["variant"] == FEW else 110, 10]]
    return found


def verdicts(found, *wanted):
    found["scenarios"]["service"]["goals"] = list(wanted)
    return [(each.variant, each.measured, each.met) for each in goals.verdicts(found, "service")]


class References(unittest.TestCase):
    def line(self, found, key="cpu"):
        return next(each for each in figures.lines(found, "service") if each.key == key)

    def test_a_metric_has_its_own(self):
        cells = self.line(result()).cells
        self.assertIsNone(cells[BARE].ratio)
        self.assertAlmostEqual(cells[MANY].ratio.ratio, 1.26)
        self.assertEqual(cells[FEW].verdict, "worse")

    def test_a_run_may_choose_another(self):
        found = {**result(), "reference": FEW}
        self.assertAlmostEqual(self.line(found).cells[MANY].ratio.ratio, 1.05)
        self.assertAlmostEqual(self.line(found).cells[BARE].ratio.ratio, 1 / 1.2)

    def test_what_a_variant_has_none_of_is_not_shown(self):
        self.assertEqual(list(self.line(result(), "wrong").cells), [FEW, MANY])

    def test_the_reader_is_told(self):
        found = result()
        by_scenario = figures.all_lines(found)
        for text in markdown.text(found, by_scenario), page.text(found, by_scenario, {}):
            self.assertIn("us, lower is better, to bare", text)
            self.assertNotIn("Against the default", text)


class Goals(unittest.TestCase):
    def test_of_a_ratio(self):
        found = verdicts(result(), {"metric": "cpu", "to": BARE, "most": 1.21})
        self.assertEqual([(name, met) for name, _, met in found], [(FEW, True), (MANY, False)])
        self.assertEqual(verdicts(result(), {"metric": "cpu", "to": "tagger", "most": 2})[0], (FEW, "-", None))

    def test_against_fewer_rules(self):
        found = verdicts(result(3), {"metric": "cpu", "to": goals.FEWER, "most": 1.02})
        self.assertEqual(found, [(MANY, "1.05", False)])

    def test_the_worst_round_counts(self):
        self.assertEqual(verdicts(result(), {"metric": "wrong", "most": 0}), [(FEW, "1", False), (MANY, "1", False)])
        self.assertEqual(verdicts(result(), {"metric": "wrong", "least": 0})[0], (FEW, "0", True))
        self.assertEqual(verdicts(result(), {"metric": "wrong", "most": 1})[0], (FEW, "1", True))

    def test_percentiles_of_all_samples(self):
        goal = {"distribution": "latency", "percent": 50, "to": FEW, "most": 1.05}
        self.assertEqual(verdicts(result(), goal), [(FEW, "1.00", True), (MANY, "1.10", False)])

    def test_they_are_in_the_report(self):
        found = result()
        verdicts(found, {"metric": "cpu", "to": BARE, "most": 1.21})
        by_scenario = figures.all_lines(found)
        mail, html = markdown.text(found, by_scenario), page.text(found, by_scenario, {})
        self.assertRegex(mail, r"met      schedqos: listener's CPU: at most 1.21 x bare")
        self.assertRegex(mail, r"NOT MET  schedqos\+15000: listener's CPU: at most 1.21 x bare; measured:\s+1.26")
        self.assertIn("<td>NOT MET</td>", html)
