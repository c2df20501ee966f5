# SPDX-License-Identifier: GPL-2.0-only
"""The daemon does not touch tasks that are not its business."""

from attributes import BACKGROUND, NORMAL, base_slices, fair, get_attr, snapshot, without_base
from harness import LiveTest
from tasks import comm, start_time, stat, tids


# OWN_SLICE_NS of src/tagging/apply.c, which is for base slices above it.
OWN_SLICE = 650000


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
                self.assertEqual(without_base(now), without_base(attr), name)

    def test_the_daemon_itself_is_not_touched(self):
        daemon = self.daemon({"schedqos": {"default": "all"}, "schedqo*": {"qos": BACKGROUND, "enforce": True}})
        daemon.sync()
        own = OWN_SLICE if min(base_slices()) > OWN_SLICE else min(base_slices()) // 2
        for tid in tids(daemon.pid):
            self.assertEqual(get_attr(tid), fair(NORMAL, -20, own))
