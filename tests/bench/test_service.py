# SPDX-License-Identifier: GPL-2.0-only
"""The scenario service: what it asks for, what it makes of the answer, and that it leaves nothing behind."""

import os
import shutil
import unittest
from unittest import mock

import case
from case import Folder
from schedqos_bench import accounting
from schedqos_bench.process import Failure, adopt_orphans
from schedqos_bench.scenarios import service

# As bench-http-load printed it, at 300 requests/s for a second, with fewer bins.
PRINTED = """\
{"requests": 300, "unanswered": 0, "bytes": 12600, "seconds": 0.997160, "policy": 1,
"latency": {"samples": 300, "min": 83.662, "mean": 493.939, "max": 30210.610, "p50": 214.015, "p90": 280.575, \
"p99": 7602.175, "p99.9": 28442.623, "p99.99": 30210.610, "bins": [[214.015, 200], [280.575, 90], [7602.175, 8], \
[30408.703, 2]]},
"from_sending": {"samples": 300, "min": 60.019, "mean": 456.059, "max": 30178.214, "p50": 179.199, "p90": 234.495, \
"p99": 7569.407, "p99.9": 28442.623, "p99.99": 30178.214, "bins": [[179.199, 300]]},
"behind": {"samples": 300, "min": 0.000, "mean": 37.880, "max": 95.821, "p50": 35.071, "p90": 55.551, "p99": 74.751, \
"p99.9": 95.821, "p99.99": 95.821, "bins": [[35.071, 300]]}}
"""


def context(folder, *arguments):
    return case.context(case.options((service,), *arguments, folder=folder), 1)


class Parsing(unittest.TestCase):
    def test_result(self):
        found = service.parse(PRINTED)
        self.assertEqual(found["latency"]["p99"], 7602.175)
        self.assertEqual(service.notes(found), [])

    def test_no_result(self):
        for text in ("bench-http-load: connect to 127.0.0.1: Connection refused\n", "",
                     PRINTED.replace('"latency": {"samples": 300', '"latency": {"samples": 0')):
            with self.assertRaises(Failure):
                service.parse(text)

    def test_what_makes_a_round_worth_less_is_said(self):
        for old, new, word in (('"unanswered": 0', '"unanswered": 7', "7 of 300 requests"),
                               ('"policy": 1', '"policy": 0', "real-time"),
                               ('"p99.9": 95.821', '"p99.9": 950.000', "behind its own schedule")):
            said = service.notes(service.parse(PRINTED.replace(old, new)))
            self.assertEqual(len(said), 1)
            self.assertIn(word, said[0])


class Commands(Folder):
    def test_what_is_missing_is_said(self):
        with mock.patch.object(shutil, "which", return_value=None):
            missing = service.needs(case.options((service,), folder=self.folder))
        self.assertEqual([(each.what, each.remedy) for each in missing],
                         [("nginx", "package nginx"), ("stress-ng", "package stress-ng"),
                          ("bench-http-load", "make bench-tools")])


class Calibration(Folder):
    """With a server of known cost."""

    def calibrate(self, cost, *arguments):
        """cost(rate): CPU seconds of a request."""
        self.asked = []

        class Running:
            def __init__(self, _):
                pass

            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

            def load(running, rate, seconds, _, __):
                self.asked.append(rate)
                answered = int(min(rate, 1 / cost(rate) if cost(rate) else rate) * seconds)
                return ({"requests": rate * seconds, "unanswered": rate * seconds - answered, "seconds": seconds},
                        [answered / seconds * cost(rate), 0])

        with mock.patch.object(service, "_Running", Running), mock.patch.object(service.progress, "log"):
            given = context(self.folder, *arguments)
            service.prepare(given)
        return given.options.service_rate

    def test_the_share_of_all_cpus(self):
        with mock.patch.object(os, "sched_getaffinity", return_value={0, 1}):
            self.assertEqual(self.calibrate(lambda _: 100e-6), 8000)
            self.assertEqual(self.calibrate(lambda _: 100e-6, "--service-cpu-share", "0.2"), 4000)
            # Many together cost less each, down to 100 us.
            self.assertTrue(7000 <= self.calibrate(lambda rate: 100e-6 + 50e-6 * 500 / rate) <= 8000)


class Live(Folder):
    """A short round, with all of its programs."""

    def setUp(self):
        super().setUp()
        (self.folder / "build" / "bench").mkdir(parents=True)
        case.compile_tool(self.folder / "build/bench/bench-http-load",
                          ("http_load.c", "http_response.c", "histogram.c", "bench.c"), ["-O2"])
        self.context = context(self.folder, "--service-rate", "200", "--service-warm-up", "0",
                               "--service-connections", "8", "--service-workers", "1")
        missing = service.needs(self.context.options)
        if missing:
            self.skipTest(f"needs {missing[0].what}")
        adopt_orphans()

    def test_a_round(self):
        service.prepare(self.context)
        groups = []
        background = service.Background

        class Watched(background):
            def __enter__(self):
                super().__enter__()
                groups.append(self.pid)
                return self

        with mock.patch.object(service, "Background", Watched):
            found = service.run_round(self.context)
        self.assertEqual(set(found.metrics), set(service.metrics(self.context.options)))
        self.assertEqual(found.printed["requests"], 200)
        self.assertEqual(sum(count for _, count in found.distributions["request"]["points"]), 200)
        self.assertGreater(found.metrics["noise_cpu"], 0)
        self.assertEqual(len(groups), 3)
        self.assertEqual([accounting.group(group) for group in groups], [{}] * 3)
