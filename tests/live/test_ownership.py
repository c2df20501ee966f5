# SPDX-License-Identifier: GPL-2.0-only
"""The daemon does not touch tasks that are not its business."""

from attributes import BACKGROUND, NORMAL, fair, get_attr, snapshot
from harness import LiveTest
from tasks import comm, start_time, stat, tids


class NotOurs(LiveTest):
    def test_kernel_threads_are_not_touched(self):
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

    def test_the_daemon_itself_is_not_touched(self):
        daemon = self.daemon({"schedqos": {"default": "all"}, "schedqo*": {"qos": BACKGROUND, "enforce": True}})
        daemon.sync()
        for tid in tids(daemon.pid):
            self.assertEqual(get_attr(tid), fair(NORMAL, -20))
