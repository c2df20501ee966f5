# SPDX-License-Identifier: GPL-2.0-only
"""
A stop leaves no trace. Every test of every file checks all of /proc after its daemon's stop (Daemon.check_undone); the
tests here are the hard cases.
"""

import os
import signal

from attributes import (
    BACKGROUND, BATCH, DEADLINE, FIFO, IDLE, MS, UI, UTILITY, differences, fair, get_attr, pristine, set_attr,
    snapshot,
)
from daemon import schedqos
from harness import LiveTest
from waiting import wait_for


class Stop(LiveTest):
    def check(self, how):
        old = self.puppet("app")
        thread = old.tell(0, "thread", "ui")[1]
        chosen = self.sleeper("chosen")
        set_attr(chosen.pid, BATCH, 7, 9 * MS)
        daemon = self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}, "chosen": {"qos": UTILITY}})
        self.assert_carries(old, BACKGROUND)
        self.assert_carries(thread, UI)
        self.assert_carries(chosen, fair(BATCH, 7, 16 * MS, util_max=512))
        new = self.puppet("app")
        born = [new.pid, *new.tell(0, "fork", 3), new.tell(0, "thread")[1], new.tell(0, "thread", "ui")[1],
                new.tell(0, "spawn", [self.alias("other"), "1000"]), *old.tell(0, "fork", 3),
                old.tell(0, "thread")[1]]
        daemon.sync()
        # Make sure that they carried a class: otherwise this test would show nothing.
        for tid in born:
            self.assertNotEqual(get_attr(tid), pristine())
        self.assertGreater(len(differences(daemon.before, snapshot())), 3)
        daemon.stop(how)
        for tid in (old.pid, thread, *born):
            self.assertEqual(get_attr(tid), pristine())
        self.assertEqual(chosen.attr(), fair(BATCH, 7, 9 * MS))
        self.assertIn("tasks put back", daemon.log())

    def test_signals_and_the_verb_stop_without_a_trace(self):
        for how in (signal.SIGINT, signal.SIGTERM, None):
            self.check(how)

    def test_a_later_restore_finds_forks_that_outlasted_the_stop(self):
        """
        The service also runs a restore at the stop, which is too early. Then a fork brings its child, with the
        attributes of a class.
        """
        app = self.puppet("app")
        daemon = self.daemon({"app": {"qos": UI}})
        self.assert_carries(app, UI)
        given = get_attr(app.pid)
        daemon.stop()
        self.assertEqual(schedqos("restore").returncode, 0)
        late = app.tell(0, "fork", 1)[0]
        set_attr(late, given.policy, given.nice, 8 * MS)
        self.assertEqual(get_attr(late), given)
        self.assertEqual(schedqos("restore").returncode, 0)
        self.assertEqual(get_attr(late), pristine())

    def test_a_nice_value_hidden_by_real_time_is_put_back(self):
        """
        A task that leaves real time after the stop returns neither to a class's nice value, nor to a nearby one that it
        could choose only because of the class.
        """
        self.check_below_real_time(lambda pid: None)
        self.check_below_real_time(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, -3))

    def check_below_real_time(self, choose):
        daemon = self.daemon({"app": {"qos": UI}})
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        daemon.sync()
        try:
            set_attr(app.pid, FIFO, priority=1)
        except OSError as error:
            self.skipTest("no real-time policies here: %s" % error)
        choose(app.pid)
        daemon.changed.add(app.pid)
        daemon.stop()
        self.assertEqual(app.attr().policy, FIFO)
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, app.pid), 0)


def deadline_class(runtime, deadline, period):
    return {"sched_policy": "SCHED_DEADLINE", "sched_runtime": runtime, "sched_deadline": deadline,
            "sched_period": period}


class OtherPolicies(LiveTest):
    """Classes that take a task out of the fair policies, and the way back."""

    def setUp(self):
        """
        Has the kernel count anew the bandwidth that SCHED_DEADLINE tasks hold, by writing back a sysctl: 6.18 leaks it
        (see shrink_bandwidth in apply.c).
        """
        super().setUp()
        path = "/proc/sys/kernel/sched_rt_runtime_us"
        if os.path.exists(path):
            with open(path, "r+", encoding="ascii") as file:
                value = file.read()
                file.seek(0)
                file.write(value)

    def check(self, attributes, want):
        had = self.sleeper("app")
        set_attr(had.pid, BATCH, 3, 7 * MS)
        daemon = self.daemon({"QOS_ODD": attributes, "app": {"qos": "QOS_ODD", "yield": False}})
        new = self.sleeper("app")
        daemon.sync()
        refused = daemon.status()["refused"]
        if refused:
            self.skipTest("refused by this machine's kernel: %s" % ", ".join(refused))
        for program in (had, new):
            wait_for(lambda: want(program.attr()), lambda: "attributes, instead of %s" % (program.attr(),))
        daemon.stop()
        self.assertEqual(had.attr(), fair(BATCH, 3, 7 * MS))
        self.assertEqual(new.attr(), pristine())

    def test_a_class_with_sched_idle_leaves_no_trace(self):
        self.check({"sched_policy": "SCHED_IDLE", "sched_nice": 5, "sched_runtime": 30 * MS},
                   lambda attr: attr.policy == IDLE and attr.nice == 5)

    def test_a_real_time_class_leaves_no_trace(self):
        self.check({"sched_policy": "SCHED_FIFO", "sched_priority": 3},
                   lambda attr: (attr.policy, attr.priority) == (FIFO, 3))

    def test_a_deadline_class_leaves_no_trace(self):
        self.check(deadline_class(MS, 20 * MS, 100 * MS),
                   lambda attr: (attr.policy, attr.slice, attr.deadline, attr.period)
                   == (DEADLINE, MS, 20 * MS, 100 * MS))
