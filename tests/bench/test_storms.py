# SPDX-License-Identifier: GPL-2.0-only
"""The scenarios of storms, as far as that goes without any: what they make of what was measured."""

import unittest
from unittest import mock

from case import context, options
from schedqos_bench import scenarios
from schedqos_bench.running import NoListener
from schedqos_bench.storms import latency, workloads

EVENTS = scenarios.load("events")
SAMPLE = {"ops": 100, "ns": 2_000_000, "cpu_ns": 300_000, "switches": 1, "dropped": 2, "foreign": 3, "checked": 1,
          "wrong": [{"tid": 7, "name": "render", "want": "0:-4:0", "actual": "0:0:0"}]}
PROBE = {"exec": [30_000, 90_000, 40_000], "exec_main": [29_000, 50_000, 39_000], "rename": [5_000, 9_000, 7_000],
         "exec_timeouts": 1, "rename_timeouts": 0}


class Fake(NoListener):
    def __init__(self, listens=False, tags=False):
        self.listens, self.tags, self.probed = listens, tags, tags


class Events(unittest.TestCase):
    def round(self, running):
        with mock.patch.object(workloads, "measure_storm", return_value=SAMPLE), \
                mock.patch.object(workloads, "measure_make", return_value=SAMPLE), \
                mock.patch.object(latency, "measure", return_value=PROBE):
            return EVENTS.run_round(context(options((EVENTS,)), running=running))

    def test_every_metric_is_there_or_is_none(self):
        metrics = EVENTS.metrics(options((EVENTS,)))
        for running, missing in ((Fake(), ("fork_cpu", "wrong", "lost", "exec_idle_p50")),
                                 (Fake(True), ("wrong", "exec_idle_p50")), (Fake(True, True), ())):
            found = self.round(running).metrics
            self.assertEqual(found.keys(), metrics.keys())
            self.assertEqual([key for key in missing if found[key] is not None], [])
            self.assertEqual(found["fork_rate"], 50_000)

    def test_goals_name_distributions_that_are_measured(self):
        found = self.round(Fake(True, True))
        named = {goal["distribution"] for goal in EVENTS.goals(None) if "distribution" in goal}
        self.assertLessEqual(named, found.distributions.keys())
