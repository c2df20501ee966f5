# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups: some to move processes between, and one in which there is little memory."""

import contextlib
import os
import re
import unittest

from waiting import wait_for

TOP = "/sys/fs/cgroup"
TRACING = "/sys/kernel/tracing"
MOUNTS = ["unshare", "-m", "--propagation", "private", "sh", "-ec"]
# Before a daemon that is to hear of moves between cgroups.
HEARD = [*MOUNTS, '[ -d %s/events ] || mount -t tracefs tracefs %s; exec "$@"' % (TRACING, TRACING), "sh"]


def _unified():
    """Where the unified hierarchy is mounted; None if it is not, or not for writing."""
    for path in (TOP, TOP + "/unified"):
        if os.path.exists(path + "/cgroup.procs") and os.access(path, os.W_OK):
            return path
    return None


class Cgroups:
    """New ones, all of which end with the test; skips the test where there can be none."""

    def __init__(self, name):
        top = self.find_top()
        if not top:
            raise unittest.SkipTest("no cgroup hierarchy of that kind that can be written")
        self.top, self.root = top, os.path.join(top, name)
        self.made = []
        try:
            self.make("")
        except OSError as error:
            raise unittest.SkipTest("no cgroup: %s" % error) from None

    def find_top(self):
        return _unified()

    def make(self, path):
        """Together with those around it."""
        whole = self.root
        for part in ["", *path.split("/")]:
            whole = os.path.normpath(os.path.join(whole, part))
            if not os.path.isdir(whole):
                os.mkdir(whole)
                self.made.append(whole)
        return whole

    def path(self, path=""):
        """As /proc/PID/cgroup names it."""
        return os.path.normpath("/" + os.path.relpath(os.path.join(self.root, path), self.top))

    def move(self, pid, path):
        """The process, into one of ours."""
        self._write(pid, self.make(path))

    def back(self, pid):
        self._write(pid, self.top)

    @staticmethod
    def _write(pid, folder):
        with open(folder + "/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(pid))

    def remove(self):
        """Whoever is left in there goes to the top."""
        for folder in self.made[::-1]:
            with open(folder + "/cgroup.procs", encoding="ascii") as file:
                pids = file.read().split()
            for pid in pids:
                with contextlib.suppress(OSError):
                    self.back(pid)
            self.remove_one(folder)

    def remove_one(self, folder):
        """An empty one."""
        wait_for(lambda: self.is_removed(folder), "the end of " + folder)
        self.made.remove(folder)

    @staticmethod
    def is_removed(folder):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
        return not os.path.exists(folder)


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
