# SPDX-License-Identifier: GPL-2.0-only
"""KWin, without a screen or GPU, runs our script, which reports real windows. Scripts of the test move the focus."""

import os

from desktop import FOCUS, DesktopTest
from waiting import wait_for

# A client that accepts an output without a refresh rate, which is what 5.27 has here.
CLIENT = "weston-simple-shm"
# A script for Plasma 5.27 and 6.
ALL = "const all = workspace.windowList ? workspace.windowList() : workspace.clientList();\n" \
    "for (let i = 0; i < all.length; i++) {\n\tconst window = all[i];\n\tif (window.pid !== %d)\n\t\tcontinue;\n\t%s;\n}\n"
ACTIVATE = "if (workspace.windowList) workspace.activeWindow = window; else workspace.activeClient = window"


class KWin(DesktopTest):
    NEEDS = ("kwin_wayland", CLIENT, "dbus-send")

    def setUp(self):
        super().setUp()
        self.start_bus()
        self.env.update(KWIN_COMPOSE="Q", XDG_SESSION_TYPE="wayland")
        self.scripts = 0
        self.kwin = self.start_kwin()
        self.env["WAYLAND_DISPLAY"] = "wayland-schedqos"

    def start_kwin(self):
        kwin = self.start("kwin_wayland", "--virtual", "--no-lockscreen", "--no-global-shortcuts", "--socket", "wayland-schedqos")
        self.await_socket("wayland-schedqos")
        wait_for(lambda: self.has_name("org.kde.KWin"), "KWin on the bus")
        return kwin

    def call(self, path, method, *args):
        return self.run_tool("dbus-send", "--session", "--print-reply", "--dest=org.kde.KWin", path, method, *args)

    def script(self, pid, what):
        """Has KWin do something with the window of the process."""
        self.scripts += 1
        path = os.path.join(self.folder, "test-%d.js" % self.scripts)
        with open(path, "w", encoding="ascii") as file:
            file.write(ALL % (pid, what))
        reply = self.call("/Scripting", "org.kde.kwin.Scripting.loadScript", "string:" + path,
                          "string:test-%d" % self.scripts)
        self.assertIn("int32", reply)
        self.call("/Scripting", "org.kde.kwin.Scripting.start")

    def test_windows_are_focused_visible_or_hidden_if_minimised(self):
        lines = self.start_printing()
        lines.wait("^windows: KWin")
        first = self.start(CLIENT)
        self.shows(lines, first.pid, "focused$")
        second = self.start(CLIENT)
        self.shows(lines, second.pid, "focused$")
        self.shows(lines, first.pid, "visible$")
        self.script(first.pid, ACTIVATE)
        self.shows(lines, first.pid, "focused$")
        self.shows(lines, second.pid, "visible$")
        self.script(second.pid, "window.minimized = true")
        self.shows(lines, second.pid, "hidden, if that lasts")
        self.script(second.pid, "window.minimized = false")
        self.shows(lines, second.pid, "visible$|focused$")
        self.end(second)
        self.shows(lines, second.pid, "gone$")
        self.assertEqual([name for name in os.listdir(self.runtime) if name.endswith(".js")], [])

    def test_other_runs_and_killed_ones_do_not_disturb(self):
        bridge = self.start_bridge()
        self.end(self.start(FOCUS), 9)
        service = self.start(FOCUS)
        lines = self.start_printing()
        first = self.start(CLIENT)
        self.shows(bridge.lines, first.pid, "focused$")
        self.shows(lines, first.pid, "focused$")
        self.end(service)
        second = self.start(CLIENT)
        self.shows(lines, second.pid, "focused$")

    def test_a_restarted_kwin_is_followed(self):
        lines = self.start_printing()
        first = self.start(CLIENT)
        self.shows(lines, first.pid, "focused$")
        self.end(self.kwin, 9)
        self.shows(lines, first.pid, "gone$")
        self.start_kwin()
        second = self.start(CLIENT)
        self.shows(lines, second.pid, "focused$")
