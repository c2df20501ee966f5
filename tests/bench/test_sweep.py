# SPDX-License-Identifier: GPL-2.0-only
"""What sweep tries, how it decides, and what it writes."""

import argparse
import json
import random
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import needs_plots
from schedqos_bench import plotting
from schedqos_bench.process import Failure
from schedqos_bench.sweep import front, output, search, space

AXES = {"latency": "lower", "throughput": "higher"}
BASE = {"QOS_USER_INTERACTIVE": {"sched_policy": "SCHED_NORMAL", "sched_nice": -4, "sched_runtime": 8000000,
                                 "sched_util_max": 1024},
        "QOS_BACKGROUND": {"sched_policy": "SCHED_BATCH", "sched_nice": 4, "sched_runtime": 20000000,
                           "sched_util_max": 256},
        "QOS_DEFAULT": {"sched_policy": "SCHED_BATCH", "sched_nice": 2, "sched_runtime": 16000000}}


class Space(unittest.TestCase):
    def test_try(self):
        self.assertEqual(space.parse("interactive.nice=-4,-6"), ("QOS_USER_INTERACTIVE", "nice", [-4, -6]))
        self.assertEqual(space.parse("background.policy=batch,SCHED_IDLE"),
                         ("QOS_BACKGROUND", "policy", ["BATCH", "IDLE"]))
        self.assertEqual(space.parse("initiated.slice=0.5,3")[2], [0.5, 3.0])
        for text in ("interactive", "interactive.nice", "interactive.nice=", "interactive.nice=-21",
                     "background.policy=FIFO", "other.nice=1", "utility.slice=0.05", "utility.weight=1"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                space.parse(text)

    def test_the_classes_of_a_scenario(self):
        rules = {"make": {"qos": "QOS_BACKGROUND"}, "x": {"thread_qos": {"a": "QOS_USER_INTERACTIVE"}}}
        self.assertEqual(space.used(rules), ["QOS_USER_INTERACTIVE", "QOS_BACKGROUND"])

    def test_idle_is_one_choice(self):
        found = space.choices({"policy": ["BATCH", "IDLE"], "nice": [4, 9], "slice": [20]})
        self.assertEqual(list(map(str, found)), ["BATCH +4, 20 ms", "BATCH +9, 20 ms", "IDLE"])

    def test_the_more_urgent_class_is_never_the_worse_off(self):
        values = {"policy": ["NORMAL", "IDLE"], "nice": [-2, 2], "slice": [1, 9]}
        classes = ["QOS_USER_INTERACTIVE", "QOS_BACKGROUND"]
        found = space.mappings(classes, dict.fromkeys(classes, values))
        self.assertEqual(len(set(found)), len(found))
        for urgent, other in found:
            if "IDLE" in (urgent.policy, other.policy):
                self.assertEqual(other.policy, "IDLE")
            else:
                self.assertLessEqual((urgent.nice, urgent.slice_ms), (other.nice, other.slice_ms))
                self.assertLessEqual(urgent.slice_ms, other.slice_ms)
        self.assertEqual(len(found), 9 + 4 + 1)

    def test_what_was_found_by_hand_is_among_those_tried(self):
        classes = [space.LEVELS[0], space.LEVELS[1], space.LEVELS[3]]
        want = (space.Choice("NORMAL", -6, 0.5), space.Choice("NORMAL", -4, 1), space.Choice("BATCH", 4, 20))
        self.assertIn(want, space.mappings(classes, space.narrowed([])))

    def test_the_whole_mapping(self):
        found = space.full(BASE, ["QOS_USER_INTERACTIVE", "QOS_BACKGROUND"],
                           (space.Choice("NORMAL", -6, 0.5), space.Choice("IDLE")))
        self.assertEqual(found["QOS_USER_INTERACTIVE"], {"sched_policy": "SCHED_NORMAL", "sched_nice": -6,
                                                         "sched_runtime": 500000, "sched_util_max": 1024})
        self.assertEqual(found["QOS_BACKGROUND"], {"sched_policy": "SCHED_IDLE", "sched_util_max": 256})
        self.assertEqual(found["QOS_DEFAULT"], BASE["QOS_DEFAULT"])


class Front(unittest.TestCase):
    POINTS = {"a": (3, 1), "b": (2, 2), "c": (1, 3), "worse": (1.5, 1.5), "worst": (1, 1), "same": (2, 2)}

    def test_gains(self):
        self.assertEqual(front.gains({"latency": 0.5, "throughput": 1.2}, AXES), (2.0, 1.2))

    def test_front(self):
        self.assertEqual(set(front.front(self.POINTS)), {"a", "b", "c", "same"})

    def test_best_takes_front_after_front(self):
        self.assertEqual(set(front.best(self.POINTS, 5)), {"a", "b", "c", "same", "worse"})
        self.assertEqual(len(front.best(self.POINTS, 99)), 6)

    def test_the_ends_of_the_front_stay(self):
        self.assertEqual(set(front.best(self.POINTS, 2)), {"a", "c"})

    def test_medians(self):
        self.assertEqual(front.medians([{"x": 1, "y": 5}, {"x": 3, "y": 4}, {"x": 2, "y": 9}]), {"x": 2, "y": 5})


class Search(unittest.TestCase):
    """On a made-up machine that is slower every time; mapping n has 1/n of the latency, 1 + n % 3 of the throughput."""

    def setUp(self):
        self.calls = []

    def measure(self, name):
        self.calls.append(name)
        slower = 1.001 ** len(self.calls)
        number = int(name[1:]) if name else 1
        return {"latency": 100 / number * slower, "throughput": (1 + number % 3) * 10 / slower}

    def search(self, seconds=0.0):
        return search.Search(self.measure, AXES, random.Random(1), time.monotonic() + seconds, {}, lambda samples: None)

    def test_each_candidate_stands_between_rounds_of_the_reference(self):
        search.one_pass(self.search(), [f"m{number}" for number in range(1, 11)])
        self.assertEqual(len(self.calls), search.rounds_of_pass(10))
        self.assertEqual([i for i, name in enumerate(self.calls) if name is None], [0, 5, 10, 13])
        self.assertEqual(len(set(self.calls)), 11)

    def test_ratios_are_free_of_what_changes_over_time(self):
        looking = self.search()
        search.one_pass(looking, ["m1", "m2", "m4", "m5", "m8"])
        for name, samples in looking.samples.items():
            self.assertAlmostEqual(samples[0]["latency"], 1 / int(name[1:]), delta=0.01, msg=name)

    def test_both_rounds_of_the_reference_count(self):
        values = iter([100, 150, 300])
        looking = self.search()._replace(axes={"latency": "lower"}, measure=lambda name: {"latency": next(values)})
        search.one_pass(looking, ["m1"])
        self.assertEqual(looking.samples["m1"], [{"latency": 0.75}])

    def test_halving(self):
        names = [f"m{number}" for number in range(1, 33)]
        looking = self.search()
        finalists = search.halving(looking, names)
        self.assertEqual(len(finalists), 8)
        self.assertEqual({len(looking.samples[name]) for name in finalists}, {3})
        self.assertEqual(sum(len(samples) == 1 for samples in looking.samples.values()), 16)
        # 32 has the best latency of all, and the best throughput.
        self.assertIn("m32", finalists)

    def test_few_are_not_halved_away(self):
        self.assertEqual(len(search.halving(self.search(), [f"m{number}" for number in range(1, 6)])), search.LEAST)

    def test_a_pass_that_does_not_fit_is_not_begun(self):
        looking = self.search(seconds=0)
        search.straight(looking, ["m1", "m2"])
        self.assertEqual(len(looking.samples["m1"]), 1)

    def test_a_round_that_shows_nothing_is_left_out(self):
        looking = self.search()._replace(measure=lambda name: None if name == "m3" else
                                         {"latency": 0 if name == "m2" else 1, "throughput": 1})
        search.one_pass(looking, ["m1", "m2", "m3"])
        self.assertEqual(list(looking.samples), ["m1"])

    def test_a_background_that_gets_nothing_is_a_result(self):
        looking = self.search()._replace(measure=lambda name: {"latency": 1, "throughput": 0 if name else 1})
        search.one_pass(looking, ["m1"])
        self.assertEqual(looking.samples["m1"], [{"latency": 1.0, "throughput": 0.0}])

    def test_so_many_as_fit(self):
        self.assertEqual(search.fitting(100, 10), 7)  # and three of the reference
        chosen = search.chosen("halving", list(range(50)), 300, 10, random.Random(1))
        self.assertEqual(len(chosen), 7)
        self.assertEqual(len(search.chosen("random", list(range(50)), 300, 10, random.Random(1))), 7)
        self.assertEqual(search.chosen("grid", [1, 2], 100, 10, None), [1, 2])
        with self.assertRaisesRegex(Failure, "grid of 50 mappings needs 11 minutes"):
            search.chosen("grid", list(range(50)), 300, 10, None)
        with self.assertRaisesRegex(Failure, "no time"):
            search.chosen("halving", list(range(50)), 60, 30, random.Random(1))


def result():
    """Of a search with three mappings."""
    rounds = [{"scenario": "s", "variant": name, "round": 1, "warmup": False, "metrics": {"p99": p99, "rps": rps}}
              for name, p99, rps in (("schedqos", 1000, 100), ("m1", 500, 110), ("m2", 400, 90), ("m3", 2000, 50))]
    samples = {each["variant"]: [{"latency": each["metrics"]["p99"] / 1000, "throughput": each["metrics"]["rps"] / 100}]
               for each in rounds[1:]}
    return {
        "command": ["schedqos-bench", "sweep", "s", "--out", "/home/somebody"], "seed": 5,
        "began": "2026-01-02T03:04:05+00:00",
        "environment": {"kernel": "6.18", "cpu": "A\nCPU", "cpus": 2, "virtual": "kvm"}, "rounds": rounds,
        "scenarios": {"s": {"title": "S", "seconds": 10, "metrics": {
            "p99": {"title": "latency p99", "unit": "us", "better": "lower"},
            "rps": {"title": "requests", "unit": "1/s", "better": "higher"}}}},
        "sweep": {"scenario": "s", "axes": {"latency": "p99", "throughput": "rps"}, "reference": "schedqos",
                  "samples": samples, "finalists": ["m1", "m2", "m3"],
                  "candidates": {name: {"QOS_BACKGROUND": "IDLE"} for name in samples}},
        "variants": {name: {"classes": BASE} for name in samples},
    }


class Output(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.paths = output.write(result(), self.out)

    def test_what_is_worse_than_the_reference_is_not_on_the_front(self):
        picture = [] if plotting.why_not() else ["front.svg"]
        self.assertEqual([path.name for path in self.paths], ["front.md", *picture, "m2.json", "m1.json"])

    def test_without_matplotlib_all_else_is_written(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(output.plotting, "why_not", return_value="not here"):
            paths = output.write(result(), folder)
            self.assertEqual([path.name for path in paths], ["front.md", "m2.json", "m1.json"])
            self.assertTrue(all(path.exists() for path in paths))

    def test_a_mapping_file_says_what_was_measured_and_where(self):
        text = (self.out / "mappings" / "m1.json").read_text(encoding="utf-8")
        comment = [line for line in text.splitlines() if line.startswith("//")]
        self.assertIn("//   latency p99: 0.50 x, 500 us", comment)
        self.assertIn("//   requests: 1.10 x, 110 1/s", comment)
        self.assertIn("A\\x0aCPU, 2 CPUs, Linux 6.18 (a virtual machine: kvm)", text)
        self.assertNotIn("/home/somebody", text)
        self.assertEqual(json.loads("\n".join(line for line in text.splitlines() if not line.startswith("//"))), BASE)

    def test_the_table_has_the_best_latency_first(self):
        text = (self.out / "front.md").read_text(encoding="utf-8")
        self.assertLess(text.index("| m2"), text.index("| m1"))
        self.assertLess(text.index("| m1"), text.index("## The others"))
        self.assertLess(text.index("## The others"), text.index("| m3"))

    @needs_plots.drawing
    def test_the_picture(self):
        picture = ElementTree.parse(self.out / "front.svg")
        shown = needs_plots.texts(picture)
        self.assertEqual(shown.count("m1"), 1)
        self.assertLessEqual({"m2", "announcement", "others", "latency p99, ratio to the announcement"}, set(shown))
        self.assertNotIn("m3", shown)
        # m3 alone is faint, there and beside the names.
        faint = [each for each in picture.iter(needs_plots.SVG + "use") if "opacity: 0.4" in each.get("style")]
        self.assertEqual(len(faint), 2)
