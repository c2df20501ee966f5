# SPDX-License-Identifier: GPL-2.0-only
"""What users chose is theirs: nice, chrt, taskset, the application itself; and what is none of our business."""

import shutil
import unittest

from attributes import BATCH, FIFO, IDLE, NORMAL, fair, get_attr, set_attr, snapshot
from harness import LiveTest, main
from tasks import comm, start_time, tids
from waiting import wait_for

UI, BACKGROUND = "QOS_USER_INTERACTIVE", "QOS_BACKGROUND"


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

    @needs("nice", "chrt")
    def test_nice_and_chrt(self):
        for prefix, attr in ((["nice", "-n", "19"], fair(NORMAL, 19)), (["nice", "-n", "-40"], fair(NORMAL, -20))):
            self.check(prefix, attr)
        # While the daemon runs, chrt -b changes nothing that could be seen, since the shell is SCHED_BATCH already;
        # and under SCHED_IDLE a class's slice stays, which sched_setattr does not change there.
        self.check(["chrt", "-b", "0", "nice", "-n", "30"], fair(BATCH, 19), while_running=False)
        self.check(["chrt", "-i", "0"], fair(IDLE, 0), while_running=False)


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


if __name__ == "__main__":
    main()
