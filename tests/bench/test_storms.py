# SPDX-License-Identifier: GPL-2.0-only
"""The scenario of storms, as far as that goes without any: what it makes of what was measured."""

import unittest
from unittest import mock

from case import context, options
from schedqos_bench import scenarios
from schedqos_bench.running import NoListener
from schedqos_bench.storms import latency, workloads

EVENTS = scenarios.load("events")
SAMPLE = {"ops": 100, "ns": 2_000_000, "cpu_ns": 300_000, "switches": 1, "dropped": 2}
PROBE = {"exec": [30_000, 90_000, 40_000], "exec_main": [29_000, 50_000, 39_000], "rename": [5_000, 9_000, 7_000],
         "exec_timeouts": 1, "rename_timeouts": 0}


class Fake(NoListener):
    def __init__(self, listens=False, tags=False):
        self.listens, self.tags, self.probed = listens, tags, tags


class Events(unittest.TestCase):
    def round(self, running):
        with mock.patch.object(workloads, "measure_storm", return_value=SAMPLE), \
                mock.patch.object(latency, "probe", return_value=PROBE):
            return EVENTS.run_round(context(options((EVENTS,)), running=running))

    def test_every_metric_is_there_or_is_none(self):
        metrics = EVENTS.metrics(options((EVENTS,)))
        for running, missing in ((Fake(), ("fork_cpu", "lost", "exec_p50")), (Fake(True), ("never", "exec_p50")),
                                 (Fake(True, True), ())):
            found = self.round(running).metrics
            self.assertEqual(found.keys(), metrics.keys())
            self.assertEqual([key for key in missing if found[key] is not None], [])
            self.assertEqual(found["fork_rate"], 50_000)

    def test_percentiles_name_distributions_that_are_measured(self):
        found = self.round(Fake(True, True))
        named = {each["percentile"][0] for each in EVENTS.metrics(None).values() if "percentile" in each}
        self.assertEqual(named, found.distributions.keys())
