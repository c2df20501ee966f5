# SPDX-License-Identifier: GPL-2.0-only
"""
Apps are followed by the attributes that GNOME's Mutter writes on the cgroups of units. There is no systemd here to make
units, so the test makes their cgroups. If Mutter is installed, real windows get the focus; otherwise the test writes
the attributes.
"""

import contextlib
import fcntl
import os
import signal
import unittest

from desktop import USER, DesktopTest
from waiting import wait_for

XATTR = "user.xdg.inactive-since"
NAME = "org.gnome.Mutter.DisplayConfig"


def unified():
    for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if os.path.exists(path + "/cgroup.procs"):
            return path
    raise unittest.SkipTest("no cgroups of version 2")


class Units(DesktopTest):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("not root")
        super().setUp()
        self.start_bus()
        self.env["WAYLAND_DISPLAY"] = "wayland-schedqos"
        self.apps = unified()
        # Only one run at a time, because the names of the folders depend only on the user.
        lock = os.open(self.apps, os.O_RDONLY | os.O_CLOEXEC)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in ("user.slice", "user-%d.slice" % USER, "user@%d.service" % USER, "app.slice"):
            self.apps = self.make(self.apps, name)

    def make(self, folder, name):
        """Makes a cgroup that belongs to the user, and removes it after the test."""
        path = os.path.join(folder, name)
        try:
            os.mkdir(path)
        except FileExistsError:
            return path
        os.chown(path, USER, USER)
        self.addCleanup(self.remove, path)
        return path

    @staticmethod
    def remove(path):
        def is_gone():
            # A process that was killed still exists for a moment.
            with contextlib.suppress(OSError):
                os.rmdir(path)
            return not os.path.exists(path)
        wait_for(is_gone, "%s removed" % path)

    def run_in(self, unit, *argv):
        """Starts a program inside the cgroup of a unit."""
        process = self.start("sh", "-c", 'until grep -q "$0" /proc/$$/cgroup; do sleep 0.01; done; exec "$@"',
                             os.path.basename(unit), *argv)
        with open(unit + "/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(process.pid))
        return process


class Mutter(Units):
    """The test writes the attributes that Mutter would write."""

    def setUp(self):
        super().setUp()
        self.owner = self.start_bridge(NAME)
        self.first = self.make(self.apps, "app-first.scope")
        self.one = self.run_in(self.first, "sleep", "1000")

    @staticmethod
    def write(unit, text):
        os.setxattr(unit, XATTR, text.encode())

    def test_one_process_stands_for_the_unit_with_the_focus(self):
        self.write(self.first, "-1")
        lines = self.start_printing()
        lines.wait("^windows: Mutter")
        self.shows(lines, self.one.pid, "focused$")
        # A slice, and a unit in it, appear later.
        inner = self.make(self.make(self.apps, "app-new.slice"), "second.service")
        two = self.run_in(inner, "sleep", "1000")
        self.write(inner, "-1")
        self.write(self.first, "1234567")
        self.shows(lines, two.pid, "focused$")
        self.shows(lines, self.one.pid, "gone$")
        # When the first process of the unit has ended, another one stands for the unit.
        three = self.run_in(inner, "sleep", "1000")
        self.end(two, signal.SIGKILL)
        self.shows(lines, three.pid, "focused$")
        self.write(inner, "7654321")
        self.shows(lines, three.pid, "gone$")


class RealMutter(Units):
    NEEDS = ("mutter", "foot")

    def setUp(self):
        super().setUp()
        if not os.path.exists("/sys/fs/cgroup/cgroup.procs"):
            self.skipTest("Mutter knows no other place of cgroups than /sys/fs/cgroup")
        self.start("mutter", "--headless", "--wayland", "--no-x11", "--virtual-monitor", "800x600", "--wayland-display",
                   "wayland-schedqos")
        self.await_socket("wayland-schedqos")
        wait_for(lambda: self.has_name(NAME), "Mutter on the bus")

    def test_the_focus_of_real_windows_is_followed(self):
        lines = self.start_printing()
        lines.wait("^windows: Mutter")
        first = self.run_in(self.make(self.apps, "app-first.scope"), "foot")
        self.shows(lines, first.pid, "focused$")
        second = self.run_in(self.make(self.apps, "app-second.scope"), "foot")
        self.shows(lines, second.pid, "focused$")
        self.shows(lines, first.pid, "gone$")
        self.end(second)
        self.shows(lines, first.pid, "focused$")
