# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel counts, and perf where it has the verb for it."""

import os
from unittest import mock

from case import Folder
from schedqos_bench import counters

SCHEDSTAT = """version 17
timestamp 4300000000
cpu0 0 0 100 40 50 30 2000000000 500000000 90
domain0 SMT 3 1 2 3
cpu1 0 0 100 40 10 10 1000000000 250000000 90
"""

PERF = """#!/bin/sh
case "$2 $3" in
-h*) echo 'usage: perf sched [<options>] {record|latency|stats}' ;;
"stats record") trap 'exit 0' INT; touch "$5"; while :; do sleep 0.05; done ;;
"stats report") echo "report of $5" ;;
esac
"""


class Counted(Folder):
    def test_schedstat(self):
        found = counters.parse_schedstat(SCHEDSTAT)
        self.assertEqual(found, {"wakeups": 60, "remote": 20, "ran": 3.0, "waited": 0.75})
        self.assertEqual(counters.parse_schedstat("version 15\n"), {})

    def test_a_second_has_what_was_counted_in_it(self):
        with mock.patch.object(counters, "_snapshot", side_effect=[{"switches": 5, "cpu_some": 1.0},
                                                                   {"switches": 45, "cpu_some": 1.5}]), \
                mock.patch.object(counters, "_open_migrations", return_value=[]), \
                mock.patch.object(counters, "_perf_has_stats", return_value=False):
            with counters.Counters(None) as found:
                pass
        self.assertEqual(found.per_second(2), {"switches": 20, "cpu_some": 25})

    def test_the_report_of_perf_is_kept_where_there_is_one(self):
        program = self.folder / "perf"
        program.write_text(PERF, encoding="ascii")
        program.chmod(0o755)
        counters._perf_has_stats.cache_clear()
        self.addCleanup(counters._perf_has_stats.cache_clear)

        def raw(name):
            return self.folder / f"{name}.txt"
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"), counters._perf_stats(raw):
            self.assertTrue(raw("perf-sched-stats").with_suffix(".data").exists())
        self.assertIn("report of", raw("perf-sched-stats").read_text(encoding="ascii"))
        self.assertFalse(raw("perf-sched-stats").with_suffix(".data").exists())
