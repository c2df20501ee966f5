# SPDX-License-Identifier: GPL-2.0-only
"""
Everything together: a daemon with the shipped configuration, the bridge on a system bus, schedqos-focus of an ordinary
user, and windows in a headless sway. tests/desktop covers other compositors; everything behind them is the same.
"""

import glob
import os
import shutil
import signal

from attributes import BACKGROUND, DEFAULT, INITIATED, UI, UTILITY
from bridging import ALICE, Bridge
from daemon import SCHEDQOS, schedqos, shipped
from tasks import comm, descendants, state
from waiting import wait_for

FOCUS = os.path.join(os.path.dirname(SCHEDQOS), "schedqos-focus")


class Desktop(Bridge):
    """A session of Alice's in sway: a terminal, which has a rule, and a window without a rule."""

    PROGRAMS = (*Bridge.PROGRAMS, "focus", "compositor", "window")

    def setUp(self):
        missing = [tool for tool in ("foot", "sway", "swaymsg") if not shutil.which(tool)]
        if missing or not os.access(FOCUS, os.X_OK):
            self.skipTest("no %s" % ", ".join(missing or ["schedqos-focus"]))
        super().setUp()
        # Alice is at a seat: otherwise the shipped rules would raise none of her programs.
        self.write("users/%d" % ALICE, "ONLINE_SEATS=seat0\n")
        if os.path.isdir("/run/systemd/users"):
            self.assertEqual(self.run_as(0, "mount", "--bind", self.path("users"), "/run/systemd/users").returncode, 0)
        self.let_the_bus_start_it()
        # make runs these tests, so everything would inherit its class.
        self.daemon({"schedqos": {"mapping": "announcement"}, "make": None}, prefix=self.inside, layers=shipped())
        self.runtime = self.path("runtime")
        os.mkdir(self.runtime, 0o700)
        os.chown(self.runtime, ALICE, ALICE)
        self.focus = self.start_focus()
        self.start_compositor()
        # The programs in the terminal have a terminal of their own: a build, and one without a rule.
        self.terminal = self.open_window(shutil.which("foot"), "%s 1000 & %s 1000" % (self.alias("gmake"), self.alias("unnamed")))
        wait_for(lambda: self.current.status()["apps_focused"], self.logs)
        self.window = self.open_window(self.copy("window", shutil.which("foot")), "exec sleep 1000")
        self.assert_carries(self.window, INITIATED, self.logs())
        self.build, self.unnamed = (self.child(name) for name in ("gmake", "unnamed"))

    # ---- the session ----

    def as_alice(self, name, *command):
        return self.start(name, *self.identity(ALICE), "env", "-C", self.runtime, "-u", "DISPLAY", "-u", "SWAYSOCK",
                          "WAYLAND_DISPLAY=wayland-1", "HOME=" + self.runtime, "XDG_RUNTIME_DIR=" + self.runtime,
                          "DBUS_SESSION_BUS_ADDRESS=unix:path=/no/bus", "SHELL=/bin/sh", *command)

    def start_focus(self):
        return self.as_alice("focus", FOCUS)

    def start_compositor(self):
        self.write("sway.conf", "output HEADLESS-1 resolution 800x600\nxwayland disable\n")
        self.as_alice("compositor", "env", "WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1",
                      "sway", "-c", self.path("sway.conf"))
        wait_for(lambda: glob.glob(self.runtime + "/sway-ipc.*.sock"), self.logs)
        wait_for(lambda: self.sway("-t", "get_version"), self.logs)

    def sway(self, *words):
        return self.run_as(ALICE, "swaymsg", "-s", *glob.glob(self.runtime + "/sway-ipc.*.sock"), *words).stdout

    def go_to(self, pid):
        self.sway("[pid=%d] focus" % pid)

    def open_window(self, program, script):
        return self.as_alice("window", program, "sh", "-c", script).pid

    def child(self, name):
        def find():
            return [pid for pid in descendants(self.terminal) if comm(pid) == name.encode()]
        return wait_for(find, name)[0]

    # ---- what is tested ----

    def assert_in_front(self, pid):
        """Checks which of the two apps has the focus, and that all other tasks are as their rules say."""
        self.assert_carries(self.window, INITIATED if pid == self.window else DEFAULT, self.logs())
        self.assert_carries(self.terminal, UI, self.logs())
        self.assert_keeps(self.build, BACKGROUND)
        self.assert_keeps(self.unnamed, DEFAULT)

    def test_the_app_in_front_is_raised_and_hidden_ones_are_lowered(self):
        self.assert_in_front(self.window)
        for _ in range(3):
            self.go_to(self.terminal)
            self.assert_in_front(self.terminal)
            self.go_to(self.window)
            self.assert_in_front(self.window)
        self.assertIn("has the focus", self.verb(ALICE, "explain", self.window))
        # This takes ten seconds.
        self.sway("workspace", "2")
        self.assert_carries(self.window, DEFAULT)
        self.assert_carries(self.terminal, UTILITY)
        self.assert_keeps(self.build, BACKGROUND)
        self.assert_keeps(self.unnamed, DEFAULT)
        self.sway("workspace", "1")
        self.assert_in_front(self.window)

    def test_the_end_of_the_focus_service_ends_its_reports(self):
        self.assert_in_front(self.window)
        self.focus.end()
        self.assert_in_front(None)
        self.focus = self.start_focus()
        self.assert_in_front(self.window)

    def test_a_killed_daemon_bridge_or_service_recovers(self):
        """The one that replaces it gets all reports again."""
        self.assert_in_front(self.window)
        for who in ("focus", "bridge", "daemon"):
            self.kill(who)
            self.assert_in_front(self.window)
            self.go_to(self.terminal)
            self.assert_in_front(self.terminal)
            self.go_to(self.window)

    def kill(self, who):
        """Kills one of them and starts another; the bus does that for the bridge."""
        victim = {"focus": self.focus.pid, "daemon": self.current.pid}.get(who) or wait_for(self.bridge_pid, "the bridge")
        os.kill(victim, signal.SIGKILL)
        wait_for(lambda: state(victim) in (None, "Z"), "its end")
        if who == "focus":
            self.focus = self.start_focus()
        elif who == "bridge":
            wait_for(lambda: self.bridge_pid() not in (0, victim), "another bridge")
        else:
            wait_for(lambda: schedqos("status").returncode, "no daemon")
            self.current.popen.wait()
            self.current.run()
            self.current.await_ready()
            # Without systemd, a bridge that has ended is started by the next call.
            # That may still reach one that is about to end.
            wait_for(lambda: self.run_as(ALICE, SCHEDQOS, "status").returncode == 0, self.logs)
