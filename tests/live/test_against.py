# SPDX-License-Identifier: GPL-2.0-only
"""explain --against names what ranks two tasks of real cgroups. test_weights.c checks the shares of CPU."""

import os
import re
import subprocess
import sys

from cgroups import CpuCgroups
from daemon import SCHEDQOS, schedqos
from harness import LiveTest


class Against(LiveTest):
    def setUp(self):
        super().setUp()
        self.cgroups = CpuCgroups("schedqos-against")
        self.addCleanup(self.cgroups.remove)

    def task(self, path, nice=0):
        pid = self.sleeper("rival").pid
        self.cgroups.move(pid, path)
        os.setpriority(os.PRIO_PROCESS, pid, nice)
        return pid

    def ask(self, one, other):
        """Returns the two percentages and the whole text."""
        result = schedqos("explain", str(one), "--against", str(other))
        self.assertEqual(result.returncode, 0, result.stderr)
        shares = re.findall(r"(?m)^%d .*: ([\d.]+) %% of one CPU, if .*\n.*\n^%d .*: ([\d.]+) %% of one CPU$" % (one, other),
                            result.stdout)
        self.assertEqual(len(shares), 1, result.stdout)
        return [float(share) for share in shares[0]], result.stdout

    def test_explain_names_what_ranks_two_tasks(self):
        if not self.cgroups.is_v1:
            self.cgroups.turn(self.cgroups.root, "+cpu")
        self.cgroups.weigh("a\033[2J", 200)
        self.cgroups.weigh("b", 100)
        one, two, three = self.task("a\033[2J", 10), self.task("b", -10), self.task("b")
        shares, text = self.ask(one, two)
        self.assertEqual(shares, [67, 33])
        for path, weight in ("a\\x1b[2J", 200), ("b", 100):
            weight = weight * 1024 // 100 if self.cgroups.is_v1 else weight
            self.assertIn("ranked by cpu cgroup %s%s (weight %d)\n" % (self.cgroups.path("a")[:-1], path, weight), text)
        shares, text = self.ask(two, three)
        self.assertEqual(shares, [90, 9.7])
        self.assertIn("ranked by SCHED_NORMAL nice -10", text)
        # Cgroups of version 1 may have no budget for real-time tasks.
        real_time = self.sleeper("rival").pid
        os.sched_setscheduler(real_time, os.SCHED_FIFO, os.sched_param(1))
        shares, text = self.ask(two, real_time)
        self.assertEqual(shares[0], 0)
        self.assertIn("priorities come before", text)

    def test_any_user_may_compare_two_tasks(self):
        result = subprocess.run([SCHEDQOS, "explain", "1", "--against", str(self.task("a"))], user=65534, group=65534,
                                extra_groups=[], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_task_that_has_ended_is_reported(self):
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE, check=True)
        result = schedqos("explain", "1", "--against", gone.stdout.decode().strip())
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no task " + gone.stdout.decode().strip(), result.stderr)
