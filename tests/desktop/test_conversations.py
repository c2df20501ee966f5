# SPDX-License-Identifier: GPL-2.0-only
"""
schedqos-focus follows compositors that cannot run here (niri, Hyprland), and survives compositors that send rubbish. A
server of the test sends the messages that those compositors document. Processes are real, windows are not. tests/fuzz
covers all kinds of rubbish.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import threading

from desktop import FOCUS, USER, DesktopTest
from waiting import PATIENCE, wait_for


class NoSource(DesktopTest):
    def test_the_output_says_why_each_source_is_not_used(self):
        """A user who knows nothing about schedqos can tell from the output why each source is not used."""
        lines = self.start_printing(DISPLAY=":99999")
        for source, why in (("KWin", "there is no session bus"), ("sway", r"nobody listens at \$SWAYSOCK or \$XDG_RUNTIME_DIR/sway"),
                            ("X11", r"no X server answers at \$DISPLAY"), ("GameMode", "there is no session bus")):
            lines.wait("^  not by %s: %s" % (source, why))

    def test_without_the_system_bus_the_service_ends_with_the_reason(self):
        """The last line of its log says why."""
        said = subprocess.run([FOCUS], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", timeout=PATIENCE, check=False)
        self.assertEqual(said.returncode, 1)
        self.assertRegex(said.stdout, r"the system bus: No such file or directory\n\Z")


class Conversation(DesktopTest):
    def setUp(self):
        super().setUp()
        self.one, self.two = self.start("sleep", "1000").pid, self.start("sleep", "1000").pid

    def listen(self, path):
        """Opens a socket as the user and listens on it."""
        path = os.path.join(self.runtime, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        os.chown(path, USER, -1)
        server.listen()
        server.settimeout(PATIENCE)
        self.addCleanup(server.close)
        return server


def accepted(server):
    """Yields each peer that connects, until the server is closed."""
    with contextlib.suppress(OSError):
        while True:
            yield server.accept()[0]


class Niri(Conversation):
    NEEDS = ("dbus-send",)

    def setUp(self):
        super().setUp()
        self.windows, self.workspaces, self.stream, self.asked = [], [], None, 0
        self.server = self.listen("niri.wayland-1.77.sock")
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        for peer in accepted(self.server):
            self.addCleanup(peer.close)
            # It waits for an answer for a second only, and comes again.
            with contextlib.suppress(OSError):
                what = peer.recv(65536)
                if what == b'"EventStream"\n':
                    peer.sendall(b'{"Ok":"Handled"}\n')
                    self.stream = peer
                elif what:
                    name = json.loads(what)
                    self.asked += 1
                    reply = {"Windows": self.windows, "Workspaces": self.workspaces}[name]
                    peer.sendall(reply if isinstance(reply, bytes) else json.dumps({"Ok": {name: reply}}).encode() + b"\n")

    def say(self, event):
        self.stream.sendall(json.dumps({event: {}}, separators=(",", ":")).encode() + b"\n")

    @staticmethod
    def window(number, pid, workspace, is_focused=False):
        return {"id": number, "title": "\u202e\x1b[31m", "app_id": None, "pid": pid, "workspace_id": workspace,
                "is_focused": is_focused, "is_floating": False}

    @staticmethod
    def workspace(number, output, is_active):
        return {"id": number, "idx": number, "name": None, "output": output, "is_active": is_active,
                "is_focused": is_active, "active_window_id": None}

    def test_windows_of_niri_are_followed(self):
        self.workspaces = [self.workspace(1, "eDP-1", True), self.workspace(2, "eDP-1", False),
                           self.workspace(3, "HDMI-1", True)]
        self.windows = [self.window(10, self.one, 1, True), self.window(11, self.two, 2)]
        lines = self.start_printing()
        lines.wait("^windows: niri")
        self.shows(lines, self.one, "focused$")
        self.shows(lines, self.two, "hidden, if that lasts")
        self.workspaces = [self.workspace(1, "eDP-1", False), self.workspace(2, "eDP-1", True)]
        self.windows = [self.window(10, self.one, 1), self.window(11, self.two, 2, True)]
        self.say("WindowFocusChanged")
        self.shows(lines, self.two, "focused$")
        self.shows(lines, self.one, "hidden, if that lasts")
        # It asks nothing after an event that comes all the time, nor when a process ends.
        before = self.asked
        self.say("WindowLayoutsChanged")
        os.kill(self.two, signal.SIGKILL)
        self.shows(lines, self.two, "gone$")
        self.assertEqual(self.asked, before)
        # The window is on an unknown workspace.
        self.windows = [self.window(10, self.one, 7)]
        self.say("WindowOpenedOrChanged")
        self.shows(lines, self.one, "visible$")
        self.assertGreaterEqual(self.asked, before + 2)

    def test_reports_that_a_busy_bridge_refuses_are_sent_again(self):
        """Only those: to repeat all would keep the bridge busy."""
        self.report_many("busy")

    def test_reports_about_many_apps_wait_for_answers(self):
        """The bridge refuses a user's calls beyond 16 unanswered ones, so it gets no more than that at once."""
        self.report_many("slow")

    def report_many(self, how):
        self.start_bus()
        bridge = self.start_bridge(how)
        apps = [self.start("sleep", "1000").pid for _ in range(30)]
        self.windows = [self.window(number, pid, 1, True) for number, pid in enumerate(apps, 10)]
        self.start(FOCUS)
        for pid in apps:
            self.shows(bridge.lines, pid, "focused$")
        self.assertEqual(sorted(bridge.lines.all), sorted(["ready"] + ["%d focused" % pid for pid in apps]))

    def test_signals_of_strangers_are_ignored(self):
        """
        A stranger sends signals to schedqos-focus alone that look like those of the bridge or the bus. They must not
        make it report everything again.
        """
        self.start_bus()
        bridge = self.start_bridge()
        self.windows = [self.window(10, self.one, 1, True)]
        self.start(FOCUS)
        self.shows(bridge.lines, self.one, "focused$")
        names = self.run_tool("dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                              "org.freedesktop.DBus.ListNames")
        for name in re.findall(r":1\.\d+", names):
            for signal_ in (("/org/schedqos1", "org.freedesktop.DBus.Properties.PropertiesChanged", "string:org.schedqos1"),
                            ("/org/freedesktop/DBus", "org.freedesktop.DBus.NameOwnerChanged", "string:org.schedqos1", "string:",
                             "string:" + name)):
                self.run_tool("dbus-send", "--system", "--type=signal", "--dest=" + name, *signal_)
        self.windows = [self.window(10, self.one, 1), self.window(11, self.two, 1, True)]
        self.say("WindowFocusChanged")
        self.shows(bridge.lines, self.one, "visible$")
        self.assertEqual([line for line in bridge.lines.all if line.startswith("%d " % self.one)],
                         ["%d focused" % self.one, "%d visible" % self.one])

    def test_a_compositor_that_sends_rubbish_is_dropped_until_it_recovers(self):
        self.windows = [self.window(10, self.one, 1, True)]
        lines = self.start_printing()
        self.shows(lines, self.one, "focused$")
        self.windows = [self.window(10, 1, 1, True), self.window(-3, -1, "x"), 7, None]
        self.say("WindowsChanged")
        self.shows(lines, self.one, "gone$")
        self.windows = [self.window(10, self.one, 1, True)]
        self.workspaces, before = b"no JSON\n", self.stream
        self.say("WindowsChanged")
        wait_for(lambda: self.stream is not before, "another connection")
        self.workspaces = []
        self.shows(lines, self.one, "focused$")


class Hyprland(Conversation):
    def setUp(self):
        super().setUp()
        self.clients, self.monitors, self.active = [], [], {}
        self.questions = self.listen("hypr/abc_1/.socket.sock")
        self.events = self.listen("hypr/abc_1/.socket2.sock")
        os.chown(os.path.join(self.runtime, "hypr"), USER, -1)
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        for peer in accepted(self.questions):
            with contextlib.suppress(OSError), peer:
                what = peer.recv(65536)
                reply = {b"j/clients": self.clients, b"j/monitors": self.monitors, b"j/activewindow": self.active}[what]
                peer.sendall(reply if isinstance(reply, bytes) else json.dumps(reply).encode())

    def client(self, number, pid, workspace, **more):
        return dict({"address": "0x%x" % number, "mapped": True, "hidden": False, "pid": pid, "pinned": False,
                     "workspace": {"id": workspace, "name": str(workspace)}, "title": "x"}, **more)

    def print_it(self):
        """Starts printing. Returns the lines, and a function that sends events."""
        lines = self.start_printing()
        lines.wait("^windows: Hyprland")
        self.events.setblocking(False)
        peers = []
        self.addCleanup(lambda: [peer.close() for peer in peers])

        def say(text):
            peers.extend(accepted(self.events))
            for peer in peers:
                with contextlib.suppress(BrokenPipeError):
                    peer.sendall(text)
        return lines, say

    def test_windows_of_hyprland_are_followed(self):
        self.monitors = [{"id": 0, "activeWorkspace": {"id": 1}, "specialWorkspace": {"id": 0}}]
        self.clients = [self.client(0xa, self.one, 1), self.client(0xb, self.two, 2)]
        self.active = {"address": "0xa"}
        lines, say = self.print_it()
        self.shows(lines, self.one, "focused$")
        self.shows(lines, self.two, "hidden, if that lasts")
        self.monitors = [{"id": 0, "activeWorkspace": {"id": 2}, "specialWorkspace": {"id": 0}}]
        self.active = {"address": "0xb"}
        say(b"windowtitle>>b\nworkspace>>2\nworkspacev2>>2,2\nactivewindow>>foot,x\nactivewindowv2>>b\n")
        self.shows(lines, self.two, "focused$")
        self.shows(lines, self.one, "hidden, if that lasts")
        # The scratchpad is shown, and nothing has the focus.
        self.clients[0] = self.client(0xa, self.one, -99)
        self.monitors[0]["specialWorkspace"] = {"id": -99}
        self.active = {}
        say(b"activespecial>>special,eDP-1\nactivewindowv2>>\n")
        self.shows(lines, self.one, "visible$")
        self.shows(lines, self.two, "visible$")
        # Another window of its group is shown.
        self.clients[1]["hidden"] = True
        say(b"moveintogroup>>b\n")
        self.shows(lines, self.two, "hidden, if that lasts")
        self.clients = self.clients[:1]
        say(b"closewindow>>b\n")
        self.shows(lines, self.two, "gone$")
        self.clients = b"no JSON"
        say(b"openwindow>>c,1,x,y\n")
        self.shows(lines, self.one, "gone$")
