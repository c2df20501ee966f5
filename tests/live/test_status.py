# SPDX-License-Identifier: GPL-2.0-only
"""The first line of status says whether all is well, and its metrics are valid."""

import re

from attributes import BACKGROUND, UTILITY
from daemon import schedqos
from harness import LiveTest
from waiting import wait_for

WELL = r"well: \d+ tasks? in \d+ class(es)?, nothing lost, nothing refused"


def first_line():
    return schedqos("status").stdout.split("\n")[0]


class FirstLine(LiveTest):
    @staticmethod
    def await_line(pattern):
        """Some process of the machine may have been unreadable for a moment, and be read soon."""
        wait_for(lambda: re.fullmatch(pattern, first_line()), first_line)

    def test_the_first_line_says_whether_all_is_well(self):
        daemon = self.daemon({"app": {"qos": UTILITY}})
        self.assert_carries(self.sleeper("app"), UTILITY)
        self.await_line(WELL)
        daemon.configure('{"app": {"qos": "QOS_NONE"}}')
        self.assertEqual(daemon.reload().returncode, 78)
        self.await_line(r"not well: \d+ tasks? in \d+ class(es)?, the last reload was refused")
        daemon.reload({"app": {"qos": UTILITY}})
        self.await_line(WELL)


class Metrics(LiveTest):
    def read(self, status):
        """Parses OpenMetrics: no sample may come twice, and the end must be marked."""
        result = schedqos("status", "--metrics")
        self.assertEqual(result.returncode, status, result.stderr)
        *lines, end, rest = result.stdout.split("\n")
        self.assertEqual((end, rest), ("# EOF", ""))
        samples = {}
        for line in lines:
            name, value = line.rsplit(" ", 1)
            self.assertRegex(name, r'^schedqos_\w+(\{name="([^"\\]|\\["\\n])*"\})?$')
            self.assertNotIn(name, samples)
            samples[name] = float(value)
        return samples

    def test_metrics_are_valid_openmetrics(self):
        # The class is not QOS_UTILITY: that has the attributes of QOS_DEFAULT here, which a task carries before its
        # rule is known.
        self.daemon({"app": {"qos": BACKGROUND}})
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        samples = self.read(0)
        self.assertEqual((samples["schedqos_up"], samples["schedqos_rules"]), (1, 2))
        self.assertGreaterEqual(samples['schedqos_tasks_by_class{name="%s"}' % BACKGROUND], 1)
        self.assertGreaterEqual(samples["schedqos_execs"], 1)
        self.assertEqual(samples['schedqos_mapping{name="announcement"}'], 1)

    def test_metrics_say_that_no_daemon_runs(self):
        self.assertEqual(self.read(1), {"schedqos_up": 0})
