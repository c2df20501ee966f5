# SPDX-License-Identifier: GPL-2.0-only
"""What users chose is theirs: nice, chrt, taskset, the application itself; and what is none of our business."""

import os
import shutil
import subprocess
import unittest

from attributes import (BATCH, FIFO, FLAG_RESET_ON_FORK, IDLE, MS, NORMAL, RR, fair, get_attr, has_slice,
                        set_all, set_attr, snapshot)
from harness import LiveTest, main
from tasks import comm, start_time, tids
from waiting import wait_for

UI, INITIATED, UTILITY, BACKGROUND, DEFAULT = (
    "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND", "QOS_DEFAULT")


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return unittest.skipIf(missing, "no " + ", ".join(missing))


class Chosen(LiveTest):
    """Each kind of choice, made before the daemon starts and while it runs."""

    def tree(self, *prefix):
        """A make under the prefix, its shell and the shell's child: three processes."""
        make = self.run_program([*prefix, self.alias("make", shutil.which("sh")), "-c",
                                 "%s -c '%s 1000 & wait' & wait" % (shutil.which("sh"), self.alias("as"))])
        last = wait_for(lambda: [pid for pid in make.descendants() if b"1000" in self.arguments(pid)], "the tree")
        self.assertEqual(len(make.descendants()), 2)
        return [make.pid, *make.descendants()] if last else []

    @staticmethod
    def arguments(pid):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                return file.read().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            return []

    def check(self, prefix, attr, while_running=True):
        before = self.tree(*prefix)
        for pid in before:
            self.assertEqual(get_attr(pid), attr)
        self.daemon()
        after = self.tree(*prefix) if while_running else []
        for pid in after:
            self.assert_carries(pid, attr)
        for pid in before + after:
            self.assert_keeps(pid, attr)
        self.current.stop()
        for pid in before + after:
            self.assertEqual(get_attr(pid), attr)

    @needs("nice")
    def test_nice_19(self):
        self.check(["nice", "-n", "19"], fair(NORMAL, 19))

    @needs("nice")
    def test_nice_minus_20(self):
        self.check(["nice", "-n", "-40"], fair(NORMAL, -20))

    # While the daemon runs, chrt -b changes nothing that could be seen: the shell is SCHED_BATCH already.
    @needs("chrt")
    def test_chrt_batch(self):
        self.check(["chrt", "-b", "0"], fair(BATCH, 0), while_running=False)

    @needs("chrt")
    def test_chrt_idle(self):
        self.check(["chrt", "-i", "0"], fair(IDLE, 0))

    @needs("chrt", "nice")
    def test_chrt_batch_and_nice(self):
        self.check(["chrt", "-b", "0", "nice", "-n", "30"], fair(BATCH, 19), while_running=False)

    @needs("chrt")
    def test_chrt_fifo(self):
        self.real_time(["chrt", "-f", "7"], FIFO, 7)

    @needs("chrt")
    def test_chrt_rr(self):
        self.real_time(["chrt", "-r", "3"], RR, 3)

    def real_time(self, prefix, policy, priority):
        if subprocess.run([*prefix, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no real-time policies here")
        attr = self.run_program([*prefix, "sleep", "1000"])
        wait_for(lambda: attr.attr().policy == policy, "chrt")
        self.assertEqual(attr.attr().priority, priority)
        self.check(prefix, attr.attr())

    @needs("taskset")
    def test_taskset(self):
        """An affinity is no scheduling attribute of ours: it stays, and the class comes beside it."""
        cpu = min(os.sched_getaffinity(0))
        before = self.tree("taskset", "-c", str(cpu))
        self.daemon()
        after = self.tree("taskset", "-c", str(cpu))
        for pid in before + after:
            self.assert_carries(pid, DEFAULT)
            self.assertEqual(os.sched_getaffinity(pid), {cpu})

    @unittest.skipUnless(has_slice(), "this kernel has no custom slices")
    def test_a_slice_that_the_application_chose(self):
        before = self.sleeper("app")
        set_attr(before.pid, NORMAL, 0, 5 * MS)
        daemon = self.daemon()
        self.assert_keeps(before, fair(slice=5 * MS))
        after = self.sleeper("app")
        self.assert_carries(after, DEFAULT)
        daemon.sync()
        set_all(after.pid, slice=5 * MS)
        daemon.changed.add(after.pid)
        self.assert_keeps(after, fair(slice=5 * MS))

    def test_threads_of_which_one_was_chosen(self):
        app = self.puppet("app")
        number, chosen = app.tell(0, "thread")
        _, plain = app.tell(0, "thread")
        app.tell(number, "nice", 9)
        self.daemon()
        self.assert_carries(app, DEFAULT)
        self.assert_carries(plain, DEFAULT)
        self.assert_keeps(chosen, fair(NORMAL, 9))

    def explicit(self, rule, attr):
        before = self.sleeper("app", prefix=["nice", "-n", "19"])
        wait_for(lambda: before.attr().nice == 19, "nice")
        self.daemon({"app": rule})
        after = self.sleeper("app", prefix=["nice", "-n", "30"])
        self.assert_carries(before, attr)
        self.assert_carries(after, attr)
        self.current.stop()
        self.assertEqual(before.attr(), fair(NORMAL, 19))
        self.assertEqual(after.attr(), fair(NORMAL, 19))

    @needs("nice")
    def test_an_explicit_rule_raises_nobody_who_was_lowered(self):
        self.explicit({"qos": UI}, fair(NORMAL, 19, 8 * MS))

    @needs("nice")
    def test_an_explicit_rule_that_does_not_yield_wins_over_nice(self):
        self.explicit({"qos": UI, "yield": False}, UI)

    @needs("nice")
    def test_an_explicit_rule_that_yields_does_nothing_to_who_was_niced(self):
        self.explicit({"qos": UI, "yield": True}, fair(NORMAL, 19))

    @needs("nice")
    def test_inherited_rules_do_not_win_over_nice(self):
        self.daemon({"make": {"qos": BACKGROUND, "inherit": True}})
        make = self.puppet("make")
        child = make.tell(0, "spawn", ["nice", "-n", "30", self.alias("cc"), "1000"], shutil.which("nice"))
        self.assert_carries(child, fair(NORMAL, 19))
        self.assert_keeps(child, fair(NORMAL, 19))


class NotOurs(LiveTest):
    def test_an_explicit_rule_does_not_change_a_real_time_task(self):
        before = self.sleeper("app")
        try:
            set_attr(before.pid, FIFO, priority=5)
        except OSError as error:
            self.skipTest("no real-time policies here: %s" % error)
        attr = before.attr()
        daemon = self.daemon({"app": {"qos": UI, "enforce": True}})
        self.assert_keeps(before, attr)
        after = self.sleeper("app")
        self.assert_carries(after, UI)
        daemon.sync()
        daemon.changed.add(after.pid)
        set_attr(after.pid, FIFO, priority=6)
        self.assertEqual(daemon.reload().returncode, 0)
        self.assertEqual(after.attr().policy, FIFO)

    def test_kernel_threads(self):
        def is_kernel(tid):
            try:
                with open("/proc/%d/stat" % tid, "rb") as stat:
                    return int(stat.read().rpartition(b")")[2].split()[6]) & 0x00200000
            except (FileNotFoundError, ProcessLookupError):
                return False

        before = {key: attr for key, attr in snapshot().items() if is_kernel(key[0])}
        self.assertTrue(before)
        self.daemon({"schedqos": {"default": "all"}, "k*": {"qos": BACKGROUND}, "*": {"qos": BACKGROUND}})
        self.current.sync()
        for (tid, start), attr in before.items():
            # Workers change their own nice.
            name, now = comm(tid), get_attr(tid)
            if start_time(tid) == start and not name.startswith(b"kworker"):
                self.assertEqual(now, attr, name)

    def test_the_daemon_itself(self):
        daemon = self.daemon({"schedqos": {"default": "all"}, "schedqo*": {"qos": BACKGROUND, "enforce": True}})
        daemon.sync()
        for tid in tids(daemon.pid):
            self.assertEqual(get_attr(tid), fair(NORMAL, -20))

    def test_reset_on_fork_stays(self):
        before = self.sleeper("app")
        set_attr(before.pid, flags=FLAG_RESET_ON_FORK)
        self.daemon({"app": {"qos": UI}})
        self.assert_carries(before, fair(NORMAL, -4, 8 * MS, flags=FLAG_RESET_ON_FORK))
        self.current.stop()
        self.assertEqual(before.attr(), fair(flags=FLAG_RESET_ON_FORK))

    def test_children_of_a_task_with_reset_on_fork(self):
        """The daemon knows of the flag: without that it would look at a newborn for 2 s after it set the parent."""
        app = self.puppet("app")
        set_attr(app.pid, flags=FLAG_RESET_ON_FORK)
        self.daemon({"app": {"qos": UI}})
        self.assert_carries(app, fair(NORMAL, -4, 8 * MS, flags=FLAG_RESET_ON_FORK))
        for child in app.tell(0, "fork", 3):
            self.assert_carries(child, UI)
        self.assert_carries(app.tell(0, "spawn", [self.alias("app2"), "1000"]), DEFAULT)


class Later(LiveTest):
    """Changes that come after ours."""

    def test_renice_of_a_task_without_a_rule(self):
        daemon = self.daemon()
        app = self.puppet("app")
        self.assert_carries(app, DEFAULT)
        daemon.sync()
        daemon.changed.add(app.pid)
        os.setpriority(os.PRIO_PROCESS, app.pid, 13)
        changed = app.attr()
        app.tell(0, "name", "new-name")
        self.assert_keeps(app, changed)
        self.assertEqual(daemon.reload().returncode, 0)
        self.assert_keeps(app, changed)

    def test_what_is_reniced_and_execs_keeps_its_nice_without_our_slice(self):
        self.daemon()
        app = self.puppet("app")
        self.assert_carries(app, DEFAULT)
        self.current.sync()
        os.setpriority(os.PRIO_PROCESS, app.pid, 13)
        app.tell(0, "run", [self.alias("other"), "1000"])
        self.assert_carries(app, fair(NORMAL, 13))
        self.current.stop()
        self.assertEqual(app.attr(), fair(NORMAL, 13))

    def test_a_tagged_task_becomes_real_time_by_its_own_wish(self):
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"bg": BACKGROUND}}})
        app = self.puppet("app")
        self.assert_carries(app, UI)
        daemon.sync()
        daemon.changed.add(app.pid)
        try:
            set_attr(app.pid, FIFO, priority=1)
        except OSError as error:
            self.skipTest("no real-time policies here: %s" % error)
        app.tell(0, "name", "bg")
        daemon.sync()
        self.assertEqual(app.attr().policy, FIFO)
        daemon.stop()
        self.assertEqual(app.attr().policy, FIFO)

    def test_enforce_puts_back_at_exec_and_at_a_rename(self):
        self.daemon({"app": {"qos": UI, "enforce": True, "thread_qos": {"bg": BACKGROUND}}})
        app = self.puppet("app")
        self.assert_carries(app, UI)
        self.current.sync()
        for name, qos in (("bg", BACKGROUND), ("other", UI), ("bg", BACKGROUND)):
            os.setpriority(os.PRIO_PROCESS, app.pid, 15)
            app.tell(0, "name", name)
            self.assert_carries(app, qos)
            self.current.sync()
        os.setpriority(os.PRIO_PROCESS, app.pid, 15)
        app.tell(0, "run", [self.path("app"), "-c", "input()"])
        self.assert_carries(app, UI)

    def test_what_enforce_put_back_gets_at_the_stop_what_was_chosen(self):
        self.daemon({"app": {"qos": UI, "enforce": True}})
        app = self.puppet("app")
        self.assert_carries(app, UI)
        self.current.sync()
        os.setpriority(os.PRIO_PROCESS, app.pid, 15)
        app.tell(0, "name", "x")
        self.assert_carries(app, UI)
        self.current.stop()
        self.assertEqual(app.attr(), fair(NORMAL, 15))


if __name__ == "__main__":
    main()
