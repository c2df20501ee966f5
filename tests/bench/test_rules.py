# SPDX-License-Identifier: GPL-2.0-only
"""The rules that are fixed in advance: what they leave out, what they claim, and how runs and boots are joined."""

import contextlib
import io
import os
import random
import unittest

import synthetic
from case import Folder
from schedqos_bench import order, report
from schedqos_bench.process import Failure
from schedqos_bench.report import figures, markdown, pooling

METRICS = {"latency": {"title": "latency", "unit": "us", "better": "lower"},
           "work": {"title": "work", "unit": "1/s", "better": "higher"},
           "missed": {"title": "missed", "unit": "1/s", "better": "lower", "count": True}}
NULLS = int(os.environ.get("BENCH_NULLS", "60"))


def result(values_of, rounds=6, variants=2, seed=1, **more):
    """values_of(variant, round) gives {metric: value}; more, what each round has."""
    names = synthetic.NAMES[:variants]
    made = synthetic.result(("cyclictest",), variants, 0, seed)
    made["scenarios"]["cyclictest"].update(metrics=METRICS, counted_seconds=8)
    made["rounds"] = [{"scenario": "cyclictest", "variant": name, "round": number, "warmup": False, "daemon": None,
                       "began": made["began"], "seconds": 8, "metrics": values_of(name, number), "distributions": {},
                       "printed": {}, "steal_share": 0.0, "other_load": 0.01, "notes": [], **more}
                      for number in range(1, rounds + 1) for name in names]
    return made


def slower(name, number, factor=2):
    return {"latency": (100 + number) * (factor if name == "schedqos" else 1), "work": 50, "missed": 0.5}


def null(chance):
    """Both variants alike: rounds that differ, now and then a disturbance, and misses that come in bursts."""
    days = [chance.lognormvariate(0, 0.4) for _ in range(20)]

    def values_of(_, number):
        day, bursts = days[number], chance.random() < 0.3
        return {"latency": day * chance.lognormvariate(0, 0.2) * (3 if chance.random() < 0.1 else 1),
                "work": chance.lognormvariate(0, 0.05) / day,
                "missed": round(day * chance.expovariate(0.2 if bursts else 2)) / 8}
    return values_of


class Chance(unittest.TestCase):
    def test_of_nothing_little_is_claimed(self):
        chance, claims, intervals = random.Random(7), 0, 0
        for number in range(NULLS):
            made = result(null(chance), rounds=6 + number % 7, variants=2 + number % 2)
            by_scenario = figures.all_lines(made)
            cells = [cell for line in by_scenario["cyclictest"] for cell in line.cells.values() if cell.ratio]
            claims += sum(figures.is_claim(cell.verdict) for cell in cells)
            intervals += figures.claims(by_scenario)
        self.assertGreater(intervals, 3 * NULLS)
        self.assertLessEqual(claims, 0.06 * intervals)

    def test_of_something_it_is(self):
        cells = {line.key: line.cells["schedqos"] for line in figures.lines(result(slower), "cyclictest")}
        self.assertEqual([cells[key].verdict for key in METRICS], ["worse", figures.NO_DIFFERENCE, figures.NO_DIFFERENCE])


class Excluding(unittest.TestCase):
    def disturbed(self, **how):
        made = result(slower, rounds=7)
        for each in made["rounds"]:
            if (each["variant"], each["round"]) == ("default", 7):
                each.update(how, metrics={**each["metrics"], "latency": 9e6})
        return made

    def test_one_rule_for_load_heat_and_the_host(self):
        for how, why in (({"other_load": 0.3}, "others took 30% of the CPUs"), ({"steal_share": 0.11}, "others took 12%"),
                         ({"throttled": True}, "slowed down because of heat")):
            made = self.disturbed(**how)
            cell = figures.lines(made, "cyclictest")[0].cells["schedqos"]
            self.assertEqual((len(cell.summary["values"]), round(cell.ratio.high, 9)), (6, 2))
            self.assertLess(cell.with_all.low, 1)
            text = markdown.text(made, figures.all_lines(made))
            self.assertIn("1 of 7 rounds are left out: round 7 (default", text)
            self.assertIn(why, " ".join(text.split()))

    def test_if_nothing_is_left_nothing_is_claimed(self):
        made = result(slower, other_load=0.5)
        cell = figures.lines(made, "cyclictest")[0].cells["schedqos"]
        self.assertEqual((len(cell.summary["values"]), cell.ratio, cell.verdict, cell.with_all.ratio > 1), (6, None, "", True))
        self.assertIn("nothing is claimed", " ".join(markdown.text(made, figures.all_lines(made)).split()))

    def test_the_limit_is_the_runs_own(self):
        made = self.disturbed(other_load=0.3)
        made["exclude_above"] = 0.5
        self.assertIsNone(figures.lines(made, "cyclictest")[0].cells["schedqos"].with_all)


class Pooling(Folder):
    def test_rounds_are_compared_within_their_run(self):
        runs = [result(slower, 3), result(lambda name, number: {**slower(name, number), "latency": 1000.0 * (1 + (
            name == "schedqos"))}, 3, seed=2)]
        made = pooling.pooled(runs, ["a", "b"])
        cell = figures.lines(made, "cyclictest")[0].cells["schedqos"]
        self.assertEqual((round(cell.ratio.low, 9), cell.verdict, len(cell.by_run)), (2, "worse", 2))
        self.assertIn("Pooled from run 1", markdown.text(made, figures.all_lines(made)))

    def test_nothing_is_claimed_against_a_run(self):
        runs = [result(slower, 12), result(lambda name, number: slower(name, number, 0.99), 1)]
        cell = figures.lines(pooling.pooled(runs, ["a", "b"]), "cyclictest")[0].cells["schedqos"]
        self.assertGreater(cell.ratio.low, 1)
        self.assertEqual(cell.verdict, figures.DISAGREE)

    def test_if_something_is_measured_again_all_of_it_is(self):
        part = result(slower)
        del part["variants"]["schedqos"]
        with self.assertRaisesRegex(Failure, "measure all of it again"):
            pooling.pooled([result(slower), part], ["a", "b"])

    def test_from_folders_to_a_report(self):
        folders = [synthetic.write(self.folder / name, result(slower)) for name in "ab"]
        report.pool(folders, self.folder / "both")
        self.assertEqual(len(figures.load(self.folder / "both")["rounds"]), 24)
        with self.assertRaises(Failure):
            report.pool(folders, self.folder / "both")


class Boots(Folder):
    def compared(self, boots):
        """(kernel, boot, factor) of each."""
        folders = []
        for number, (kernel, boot, factor) in enumerate(boots):
            made = result(lambda name, round_, factor=factor: slower(name, round_, factor), seed=number)
            made["environment"].update(kernel=kernel, boot=boot)
            folders.append(synthetic.write(self.folder / f"{len(boots)}-{number}", made))
        with contextlib.redirect_stdout(io.StringIO()) as output:
            report.compare(folders, boots=True)
        return output.getvalue()

    def test_rounds_of_two_boots_show_nothing(self):
        text = self.compared([("6.17", "a", 1), ("6.18", "b", 3)])
        self.assertIn("too few", text)
        self.assertNotRegex(text, r"  (better|worse)\n")

    def test_four_boots_of_each_do(self):
        text = self.compared([(f"6.{kernel}", f"{kernel}-{boot}", 1 + 2 * (kernel == 18) + boot / 100)
                              for boot in range(4) for kernel in (17, 18)])
        self.assertRegex(text, r"  schedqos .*worse\n")

    def test_runs_of_one_boot_are_one(self):
        text = self.compared([(f"6.{kernel}", f"{kernel}", 1 + 2 * (kernel == 18)) for _ in range(4) for kernel in (17, 18)])
        self.assertIn("too few", text)

    def test_one_kernel_is_not_compared(self):
        with self.assertRaisesRegex(Failure, "two kernels"):
            self.compared([("6.17", "a", 1), ("6.17", "b", 1)])


class Balance(unittest.TestCase):
    def test_each_has_each_place_equally_often(self):
        for variants in (["a", "b"], ["a", "b", "c"], list("abcde")):
            steps = order.plan({"one": variants}, 2 * len(variants), 0, 3)
            for place in range(len(variants)):
                there = [step.variant for step in steps[place::len(variants)]]
                self.assertEqual({there.count(name) for name in variants}, {2})

    def test_the_seed_decides(self):
        plans = [order.plan({"one": list("abcd")}, 8, 1, seed) for seed in (1, 1, 2)]
        self.assertEqual(plans[0], plans[1])
        self.assertNotEqual(plans[0], plans[2])
