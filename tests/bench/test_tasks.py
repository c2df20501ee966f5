# SPDX-License-Identifier: GPL-2.0-only
"""Who was changed, and back to what."""

import os
import subprocess
import unittest
from types import SimpleNamespace

from schedqos_bench import attr, runner, tasks

PRISTINE = attr.Attr(attr.NORMAL, 0, 3_000_000)
BACKGROUND = attr.CLASSES["QOS_BACKGROUND"]
IDLE_IO = 3 << 13


class Tasks(unittest.TestCase):
    def test_real_tasks_are_found_and_put_back(self):
        with subprocess.Popen(["sleep", "1000"]) as sleeper:
            try:
                before = tasks.snapshot()
                self.assertIn(sleeper.pid, before)
                self.assertNotIn(2, before)  # kthreadd
                os.setpriority(os.PRIO_PROCESS, sleeper.pid, 7)
                attr.put_io(sleeper.pid, IDLE_IO)
                changed = {sleeper.pid: tasks.changed(before, tasks.snapshot())[sleeper.pid]}
                if os.geteuid() != 0:
                    self.skipTest("only root may lower a nice value")
                tasks.put_back(changed)
                self.assertEqual(attr.get(sleeper.pid), before[sleeper.pid].attr)
                self.assertEqual(attr.get_io(sleeper.pid), before[sleeper.pid].io)
            finally:
                sleeper.kill()

    def test_an_io_priority_alone_counts_as_changed(self):
        before = {1: tasks.Task(10, PRISTINE)}
        self.assertEqual(tasks.changed(before, {1: tasks.Task(10, PRISTINE, IDLE_IO)}), before)

    def test_what_others_change_during_a_round_is_not_put_back(self):
        # 1 was changed by somebody; 2 is left with a class.
        before = {tid: tasks.Task(10, PRISTINE) for tid in (1, 2)}
        now = {1: tasks.Task(10, PRISTINE._replace(nice=7)), 2: tasks.Task(10, BACKGROUND)}
        for kind, left in (("schedqos", [2]), ("command", [1, 2])):
            one = runner.Runner.__new__(runner.Runner)
            one.variants = {"x": SimpleNamespace(kind=kind, attrs=lambda: {"QOS_BACKGROUND": BACKGROUND})}
            with self.subTest(kind=kind):
                self.assertEqual(sorted(one._left_changed("x", before, now)), left)
