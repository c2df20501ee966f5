# SPDX-License-Identifier: GPL-2.0-only
"""The scenarios of storms, as far as that goes without any: their rules, and what they make of what was measured."""

import argparse
import json
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from schedqos_bench import scenarios
from schedqos_bench.running import NoListener
from schedqos_bench.storms import latency, workloads

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

    def test_goals_name_distributions_that_are_measured(self):
        found = self.round(Fake(True, True))
        named = {goal["distribution"] for goal in scenarios.load("events").goals(None) if "distribution" in goal}
        self.assertLessEqual(named, found.distributions.keys())
