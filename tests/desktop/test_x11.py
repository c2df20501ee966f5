# SPDX-License-Identifier: GPL-2.0-only
"""Windows of xterm on an X server without a screen, with openbox or i3."""

import os
import subprocess

from desktop import DesktopTest, Lines
from waiting import wait_for


class X11(DesktopTest):
    NEEDS = ("Xvfb", "xterm", "wmctrl")

    def setUp(self):
        super().setUp()
        server = self.start("Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset",
                            stdout=subprocess.PIPE, encoding="ascii")
        display = Lines(server.stdout)
        display.wait(r"^\d+$")
        self.env["DISPLAY"] = ":" + display.all[0]

    def has_manager(self):
        return subprocess.run(["wmctrl", "-m"], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    def open_window(self):
        """Opens a window. Returns its process and its id."""
        process = self.start("xterm", "-geometry", "20x5")
        return process, wait_for(lambda: self.window_of(process.pid), "a window")

    def window_of(self, pid):
        # Before the first window there may be no list, which wmctrl reports as an error.
        listed = subprocess.run(["wmctrl", "-lp"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                encoding="utf-8", check=False)
        for line in listed.stdout.splitlines():
            words = line.split()
            if int(words[2]) == pid:
                return words[0]
        return None


class Openbox(X11):
    NEEDS = (*X11.NEEDS, "openbox")

    def setUp(self):
        super().setUp()
        self.start("openbox")
        wait_for(self.has_manager, "openbox")

    def test_windows_are_focused_visible_or_hidden_if_minimised(self):
        lines = self.start_printing()
        first, first_window = self.open_window()
        self.shows(lines, first.pid, "focused$")
        second, second_window = self.open_window()
        self.shows(lines, second.pid, "focused$")
        self.shows(lines, first.pid, "visible$")
        self.run_tool("wmctrl", "-i", "-a", first_window)
        self.shows(lines, first.pid, "focused$")
        self.run_tool("wmctrl", "-i", "-r", second_window, "-b", "add,hidden")
        self.shows(lines, second.pid, "hidden, if that lasts")
        self.run_tool("wmctrl", "-i", "-a", second_window)
        self.shows(lines, second.pid, "focused$")
        # Switch to another desktop.
        self.run_tool("wmctrl", "-s", "1")
        self.shows(lines, first.pid, "hidden, if that lasts")
        self.run_tool("wmctrl", "-s", "0")
        self.shows(lines, first.pid, "visible$|focused$")
        self.end(first)
        self.shows(lines, first.pid, "gone$")

    def test_a_window_of_another_user_is_not_reported(self):
        if os.geteuid() != 0:
            self.skipTest("not root")
        lines = self.start_printing()
        process = subprocess.Popen(["xterm"], env=self.env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.shows(lines, process.pid, "not reported")


class I3(X11):
    NEEDS = (*X11.NEEDS, "i3", "i3-msg")

    def test_windows_on_other_workspaces_and_tabs_are_hidden(self):
        config = os.path.join(self.folder, "i3.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write("# i3 config file (v4)\n")
        self.start("i3", "-c", config)
        wait_for(self.has_manager, "i3")
        lines = self.start_printing()
        first, _ = self.open_window()
        second, _ = self.open_window()
        self.shows(lines, second.pid, "focused$")
        self.shows(lines, first.pid, "visible$")
        self.run_tool("i3-msg", "layout", "tabbed")
        self.shows(lines, first.pid, "hidden, if that lasts")
        self.run_tool("i3-msg", "workspace", "2")
        self.shows(lines, second.pid, "hidden, if that lasts")
        self.run_tool("i3-msg", "workspace", "1")
        self.shows(lines, second.pid, "focused$")
