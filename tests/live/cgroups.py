# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups between which tests move processes."""

import contextlib
import os
import unittest

from waiting import wait_for

TOP = "/sys/fs/cgroup"
TRACING = "/sys/kernel/tracing"
MOUNTS = ["unshare", "-m", "--propagation", "private", "sh", "-ec"]
# Prefix for a daemon that is to receive moves between cgroups.
HEARD = [*MOUNTS, '[ -d %s/events ] || mount -t tracefs tracefs %s; exec "$@"' % (TRACING, TRACING), "sh"]


def _unified():
    """Returns the mount point of the unified hierarchy; None if it is not mounted, or not writable."""
    for path in (TOP, TOP + "/unified"):
        if os.path.exists(path + "/cgroup.procs") and os.access(path, os.W_OK):
            return path
    return None


class Cgroups:
    """New cgroups, removed at the end of the test. Skips the test if none can be made."""

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
        """Makes a cgroup, and the cgroups above it. Returns its folder."""
        whole = self.root
        for part in ["", *path.split("/")]:
            whole = os.path.normpath(os.path.join(whole, part))
            if not os.path.isdir(whole):
                os.mkdir(whole)
                self.made.append(whole)
        return whole

    def path(self, path=""):
        """Returns the path of a cgroup as /proc/PID/cgroup shows it."""
        return os.path.normpath("/" + os.path.relpath(os.path.join(self.root, path), self.top))

    def move(self, pid, path):
        """Moves the process into one of our cgroups."""
        self._write(pid, self.make(path))

    def back(self, pid):
        self._write(pid, self.top)

    @staticmethod
    def _write(pid, folder):
        with open(folder + "/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(pid))

    def remove(self):
        """Removes the cgroups; processes that are left in them move to the top."""
        for folder in self.made[::-1]:
            with open(folder + "/cgroup.procs", encoding="ascii") as file:
                pids = file.read().split()
            for pid in pids:
                with contextlib.suppress(OSError):
                    self.back(pid)
            self.remove_one(folder)

    def remove_one(self, folder):
        """Removes an empty cgroup."""
        wait_for(lambda: self.is_removed(folder), "the end of " + folder)
        self.made.remove(folder)

    @staticmethod
    def is_removed(folder):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
        return not os.path.exists(folder)


class CpuCgroups(Cgroups):
    """Cgroups of the cpu controller; of version 1 if that has the controller."""

    def __init__(self, name):
        self.is_v1 = os.path.exists(TOP + "/cpu/cpu.shares")
        self.was_on = True
        super().__init__(name)

    def find_top(self):
        if self.is_v1:
            return TOP + "/cpu"
        top = super().find_top()
        with contextlib.suppress(OSError, TypeError):
            with open(top + "/cgroup.subtree_control", encoding="ascii") as control:
                self.was_on = "cpu" in control.read().split()
            self.turn(top, "+cpu")
            return top
        return None

    @staticmethod
    def turn(folder, how):
        with open(folder + "/cgroup.subtree_control", "w", encoding="ascii") as control:
            control.write(how)

    def remove(self):
        super().remove()
        if not self.was_on:
            self.turn(self.top, "-cpu")

    def weigh(self, path, weight):
        """Sets the weight of a cgroup: 100 is the usual weight, and 0 sets cpu.idle."""
        folder, file, value = self.make(path), "cpu.weight", max(1, weight)
        if weight == 0 and os.path.exists(folder + "/cpu.idle"):
            file, value = "cpu.idle", 1
        elif self.is_v1:
            file, value = "cpu.shares", max(2, weight * 1024 // 100)
        with open(folder + "/" + file, "w", encoding="ascii") as knob:
            knob.write(str(value))
