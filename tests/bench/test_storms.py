# SPDX-License-Identifier: GPL-2.0-only
"""The scenarios of storms, as far as that goes without any: their rules, and what they make of what was measured."""

import argparse
import fnmatch
import json
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from schedqos_bench import attr, scenarios
from schedqos_bench.running import Listener, NoListener
from schedqos_bench.storms import latency, rules, workloads

TOOLS = Path(__file__).parents[2] / "bench" / "tools"
STORMING = ("events", "rest", "growth", "hostile", "moves")
SAMPLE = {"ops": 100, "ns": 2_000_000, "cpu_ns": 300_000, "switches": 1, "dropped": 2, "foreign": 3, "checked": 1,
          "wrong": [{"tid": 7, "name": "render", "want": "0:-4:0", "actual": "0:0:0"}]}
PROBE = {"exec": [30_000, 90_000, 40_000], "exec_main": [29_000, 50_000, 39_000], "rename": [5_000, 9_000, 7_000],
         "exec_timeouts": 1, "rename_timeouts": 0}


class Fake(NoListener):
    def __init__(self, listens=False, tags=False):
        self.listens, self.tags, self.probed = listens, tags, tags


def options_of(*arguments):
    parser = argparse.ArgumentParser()
    for name in STORMING:
        scenarios.load(name).add_options(parser)
    return parser.parse_args(arguments)


def context(running, seconds=30):
    return scenarios.Context(options_of(), seconds, 1, None, Path("work"), Path("tools"), running)


class Tool(unittest.TestCase):
    def test_told_to_stop_before_it_went(self):
        with tempfile.TemporaryDirectory(prefix="schedqos-test-") as folder:
            path = Path(folder) / "bench-work"
            subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-o", path,
                            *(TOOLS / source for source in ("storm_work.c", "storm.c", "bench.c"))], check=True)
            with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as storm:
                deadline = threading.Timer(20, storm.kill)
                deadline.start()
                self.addCleanup(deadline.cancel)
                storm.stdin.write("go\nstop\n")
                storm.stdin.flush()
                self.assertEqual(storm.stdout.readline(), "ready\n")
                self.assertGreaterEqual(json.loads(storm.stdout.readline())["ops"], 2)  # one of each worker
                storm.stdin.close()
                self.assertEqual(storm.wait(), 0)


class Rules(unittest.TestCase):
    def test_as_many_as_asked_for_and_always_the_same(self):
        own = rules.config(None)
        for count in (10, 500):
            found = rules.filled(own, count)
            self.assertEqual(len(found), count + 1)  # with the settings
            self.assertEqual(found, rules.filled(own, count))
            self.assertLessEqual(own.items(), found.items())

    def test_no_made_up_one_is_about_our_programs(self):
        own = rules.config(None)
        made_up = [name for name in rules.filled(own, 3000) if name not in own]
        for name in (*own, rules.WITHOUT_RULE):
            self.assertEqual([pattern for pattern in made_up if fnmatch.fnmatchcase(name, pattern)], [])

    def test_the_tagger_is_given_what_it_can_match(self):
        args = list(map(str, Listener(Path("tools"), "tagger", rules.config(None)).args))
        self.assertEqual((args[0], args[-1]), ("tools/bench-listener", "tagger"))
        self.assertIn(f"bench-forks={attr.CLASSES['QOS_UTILITY']}", args)
        self.assertIn(f"render={attr.CLASSES['QOS_USER_INTERACTIVE']}", args)
        self.assertFalse([arg for arg in args if "*" in arg or arg.startswith("schedqos")])


class Contract(unittest.TestCase):
    def test_goals_are_about_metrics_and_distributions_that_there_are(self):
        for name in STORMING:
            module = scenarios.load(name)
            metrics = module.metrics(options_of())
            for goal in module.goals(options_of()):
                self.assertTrue(goal.get("metric") in metrics or goal.get("distribution"), goal)
                self.assertTrue({"most", "least"} & goal.keys(), goal)


class Events(unittest.TestCase):
    def round(self, running):
        with mock.patch.object(workloads, "measure_storm", return_value=SAMPLE), \
                mock.patch.object(workloads, "measure_make", return_value=SAMPLE), \
                mock.patch.object(latency, "measure", return_value=PROBE):
            return scenarios.load("events").run_round(context(running))

    def test_every_metric_is_there_or_is_none(self):
        metrics = scenarios.load("events").metrics(options_of())
        for running, missing in ((Fake(), ("fork_cpu", "wrong", "lost", "exec_idle_p50")),
                                 (Fake(True), ("wrong", "exec_idle_p50")), (Fake(True, True), ())):
            found = self.round(running).metrics
            self.assertEqual(found.keys(), metrics.keys())
            self.assertEqual([key for key in missing if found[key] is not None], [])
            self.assertEqual(found["fork_rate"], 50_000)

    def test_figures_of_the_daemon(self):
        found = self.round(Fake(True, True))
        self.assertFalse([key for key, value in found.metrics.items() if value is None])
        for key, want in (("fork_cpu", 3.0), ("make_rate", 500), ("lost", 10), ("foreign", 15), ("wrong", 5),
                          ("exec_fork_p50", 40), ("rename_fork_p99", 9), ("never", 4), ("execve_idle", 39),
                          ("before_main_idle", 200 / 3)):
            self.assertAlmostEqual(found.metrics[key], want, msg=key)
        self.assertEqual(found.notes[0].split(": ")[1], "render (7) should be 0:-4:0 and is 0:0:0")

    def test_goals_name_distributions_that_are_measured(self):
        found = self.round(Fake(True, True))
        named = {goal["distribution"] for goal in scenarios.load("events").goals(None) if "distribution" in goal}
        self.assertLessEqual(named, found.distributions.keys())

    def test_operations_go_by_the_seconds(self):
        module = scenarios.load("events")
        self.assertEqual(module.commands(options_of(), 30)["fork"][-1], "10000")
        self.assertEqual(module.commands(options_of(), 15)["fork"][-1], "5000")
        self.assertEqual(module.commands(options_of(), 30)["exec"], ["bench-execs", "-k", "100", "-n", "2000", "-x",
                                                                     "bench-tiny"])
        self.assertNotIn("make", module.commands(options_of("--events-no-make"), 30))


class Growth(unittest.TestCase):
    def round(self, *arguments):
        module = scenarios.load("growth")
        with mock.patch.object(module.crowd, "raised"), \
                mock.patch.object(module, "_measure", side_effect=self.life):
            return module, module.run_round(context(None)._replace(options=options_of(*arguments)))

    @staticmethod
    def life(_, along, size):
        module = scenarios.load("growth")
        if size > 1000:
            raise module.Failure("too many")
        return dict.fromkeys(module.COLUMNS, 1.0)

    def test_sizes_that_cannot_be_measured_are_told(self):
        module, found = self.round("--growth-most", "5000")
        metrics = module.metrics(options_of("--growth-most", "5000"))
        self.assertEqual(set(metrics) - set(found.metrics),
                         {f"threads_5000_{column}" for column in module.COLUMNS})
        self.assertEqual(found.notes, ["5,000 threads of one process: too many"])
        self.assertEqual(metrics["rules_10_fork_us"]["curve"], {"title": "CPU, fork+exit", "along": "rules", "at": 10})


class Hostile(unittest.TestCase):
    def test_every_metric_is_there(self):
        module = scenarios.load("hostile")
        values = {"work": 2.0, "cpu": 1.0, "made": 10.0}
        for probe in (None, PROBE):
            with mock.patch.object(module, "_measure", return_value=(values, probe)):
                found = module.run_round(context(Fake(True, True)))
            self.assertEqual(found.metrics.keys(), module.metrics(None).keys())
            self.assertEqual(found.metrics["exec_p50_forks_32"], 40 if probe else None)
            self.assertEqual(len(found.distributions), 2 * len(module.ATTACKS) if probe else 0)


class Moves(unittest.TestCase):
    RESULT = {"single": [40_000, 30_000], "all_down": 20_000_000, "all_down_after": 5_000_000, "all_up": 30_000_000,
              "all_up_after": 6_000_000, "timeouts": 1}

    def test_every_metric_is_there(self):
        module = scenarios.load("moves")
        with mock.patch.object(module, "_measure_all", return_value=dict.fromkeys(module.LABELS, self.RESULT)):
            found = module.run_round(context(Fake(True, True)))
            self.assertEqual(found.metrics.keys(), module.metrics(None).keys())
            self.assertEqual(found.metrics["single_idle_p99"], 40)
            self.assertEqual(found.metrics["all_up_fork_after"], 6)
            self.assertEqual(found.metrics["never"], len(module.LABELS))
            self.assertEqual(len(found.distributions), len(module.LABELS))
            none = module.run_round(context(Fake()))
        self.assertEqual(none.metrics, dict.fromkeys(module.metrics(None)))
