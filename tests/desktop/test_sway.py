# SPDX-License-Identifier: GPL-2.0-only
"""Real windows of foot in a headless sway, which needs no screen or GPU."""

import json
import os

from desktop import FOCUS, USER, DesktopTest
from waiting import wait_for


class SwayTest(DesktopTest):
    NEEDS = ("sway", "swaymsg", "foot")

    def setUp(self):
        super().setUp()
        config = os.path.join(self.folder, "sway.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write("output HEADLESS-1 resolution 800x600\nxwayland disable\n")
        self.env.update(WLR_BACKENDS="headless", WLR_RENDERER="pixman", WLR_LIBINPUT_NO_DEVICES="1")
        self.sway = None
        self.start_sway(config)

    def start_sway(self, config=None):
        self.sway = self.start("sway", "-c", config or os.path.join(self.folder, "sway.conf"))
        self.socket = self.await_socket("sway-ipc.%d.%d.sock" % (USER, self.sway.pid))

    def msg(self, *words):
        return self.run_tool("swaymsg", "-s", self.socket, *words)

    def windows(self):
        """Returns the pids of sway's windows, the focused one first."""
        found, ahead = [], [json.loads(self.msg("-t", "get_tree"))]
        while ahead:
            node = ahead.pop()
            if node.get("pid"):
                found.append((not node["focused"], node["pid"]))
            ahead += node["nodes"] + node["floating_nodes"]
        return [pid for _, pid in sorted(found)]

    def open_window(self):
        """Opens a window, which gets the focus."""
        before = set(self.windows())
        self.msg("exec", "foot")
        return wait_for(lambda: set(self.windows()) - before, "a window").pop()


class Sway(SwayTest):
    def test_windows_are_focused_visible_or_hidden_on_other_workspaces(self):
        lines = self.start_printing()
        first = self.open_window()
        self.shows(lines, first, "focused$")
        second = self.open_window()
        self.shows(lines, second, "focused$")
        self.shows(lines, first, "visible$")
        self.msg("focus", "left")
        self.shows(lines, first, "focused$")
        self.shows(lines, second, "visible$")
        self.msg("workspace", "2")
        self.shows(lines, first, r"visible \(hidden, if that lasts\)$")
        self.msg("workspace", "1")
        self.shows(lines, first, "focused$")
        self.msg("kill")
        self.shows(lines, first, "gone$")
        self.shows(lines, second, "focused$")

    def test_a_restarted_sway_is_followed(self):
        lines = self.start_printing(SWAYSOCK=self.socket)
        first = self.open_window()
        self.shows(lines, first, "focused$")
        self.end(self.sway)
        self.shows(lines, first, "gone$")
        self.start_sway()
        second = self.open_window()
        self.shows(lines, second, "focused$")

    def test_a_missing_or_refusing_bridge_is_reported_until_it_serves(self):
        self.start_bus()
        self.start_printing().wait("^bridge: org.schedqos1 is not on the system bus")
        bridge = self.start_bridge("org.freedesktop.DBus.Error.AccessDenied")
        self.start_printing().wait(r"^bridge: org.schedqos1 refuses: not \\x1b\[31mtoday")
        focus = self.start(FOCUS)
        first = self.open_window()

        def log():
            with open(focus.log, encoding="utf-8") as file:
                return file.read()
        wait_for(lambda: "refuses" in log(), log)
        self.open_window()
        self.end(bridge)
        bridge = self.start_bridge()
        second = self.windows()[0]
        self.shows(bridge.lines, second, "focused$")
        self.msg("focus", "left")
        self.shows(bridge.lines, first, "focused$")
        wait_for(lambda: "is told which apps" in log(), log)
        self.assertEqual(log().count("refuses"), 1)
