# SPDX-License-Identifier: GPL-2.0-only
"""What is none of our business."""

from attributes import BACKGROUND, FIFO, NORMAL, UI, fair, get_attr, set_attr, snapshot
from harness import LiveTest
from tasks import comm, start_time, stat, tids


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
        # PF_KTHREAD of the flags.
        before = {key: attr for key, attr in snapshot().items()
                  if (fields := stat(key[0])) and int(fields[6]) & 0x00200000}
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
