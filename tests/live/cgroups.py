# SPDX-License-Identifier: GPL-2.0-only
"""A cgroup in which there is little memory."""

import contextlib
import os
import re
import unittest

from waiting import wait_for

TOP = "/sys/fs/cgroup"


class MemoryCgroup:
    """A new one; skips the test where there can be none."""

    def __init__(self, name):
        if os.path.exists(TOP + "/cgroup.controllers"):
            with contextlib.suppress(OSError), open(TOP + "/cgroup.subtree_control", "w", encoding="ascii") as control:
                control.write("+memory")
            self.path, self.limit, self.events = "%s/%s" % (TOP, name), "memory.max", "memory.events"
        else:
            self.path, self.limit, self.events = "%s/memory/%s" % (TOP, name), "memory.limit_in_bytes", \
                "memory.oom_control"
        try:
            os.mkdir(self.path)
        except OSError as error:
            raise unittest.SkipTest("no memory cgroup: %s" % error) from None
        if not os.path.exists(self.file(self.limit)):
            os.rmdir(self.path)
            raise unittest.SkipTest("no memory cgroup: no " + self.limit)

    def file(self, name):
        return "%s/%s" % (self.path, name)

    def confine(self, pid, size):
        """From now on it gets so many bytes more than it has: what it has stays with the cgroup it comes from."""
        for name, value in ((self.limit, size), ("memory.swap.max", 0), ("cgroup.procs", pid)):
            if os.path.exists(self.file(name)):
                with open(self.file(name), "w", encoding="ascii") as file:
                    file.write(str(value))

    def kills(self):
        """How often the kernel has killed in there, for want of memory."""
        with open(self.file(self.events), encoding="ascii") as events:
            return int(re.search(r"(?m)^oom_kill (\d+)", events.read()).group(1))

    def remove(self):
        """When it is empty."""
        def is_removed():
            with contextlib.suppress(OSError):
                os.rmdir(self.path)
            return not os.path.exists(self.path)

        wait_for(is_removed, "the end of the cgroup")
