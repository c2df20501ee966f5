# SPDX-License-Identifier: GPL-2.0-only
"""
The session of one test: a runtime folder, a bus, a compositor with real windows, and schedqos-focus. Everything in it
runs as an ordinary user, because compositors refuse root.
"""

import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

from daemon import SANITIZER_WORDS, SCHEDQOS, environment
from waiting import PATIENCE, wait_for

BUILD = os.path.dirname(SCHEDQOS)
FOCUS = os.path.join(BUILD, "schedqos-focus")
BRIDGE = os.path.join(BUILD, "tests/desktop/bridge")
# The user "nobody" is an ordinary user who runs nothing else.
USER = 65534 if os.geteuid() == 0 else os.geteuid()
BUS = """<busconfig><type>session</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


class Lines:
    """Collects the lines that a program prints."""

    def __init__(self, stream):
        self.all = []
        self.thread = threading.Thread(target=self.read, args=(stream,), daemon=True)
        self.thread.start()

    def read(self, stream):
        for line in stream:
            self.all.append(line.rstrip("\n"))
        stream.close()

    def find(self, pattern):
        """Returns the last line that matches, or None."""
        return next((line for line in reversed(self.all) if re.search(pattern, line)), None)

    def wait(self, pattern):
        wait_for(lambda: self.find(pattern), lambda: "%s in:\n%s" % (pattern, "\n".join(self.all)))


class DesktopTest(unittest.TestCase):
    NEEDS = ()  # programs

    def setUp(self):
        for name in ("dbus-daemon", *self.NEEDS):
            if not shutil.which(name, path=self.path()):
                self.skipTest("no %s" % name)
        self.programs = 0
        self.folder = tempfile.mkdtemp(prefix="schedqos-desktop-")
        self.addCleanup(self.remove_folder)
        self.runtime = os.path.join(self.folder, "run")
        os.mkdir(self.runtime, 0o700)
        for path in (self.folder, self.runtime):
            os.chown(path, USER, -1)
        keep = {key: value for key, value in environment().items()
                if not re.match("DISPLAY|WAYLAND|XDG_|DBUS_|SWAYSOCK|I3SOCK|NIRI_|HYPRLAND_|PIPEWIRE_", key)}
        # If the test starts no bus, this address leads nowhere, rather than to a bus of the machine.
        bus = "unix:path=" + os.path.join(self.runtime, "bus")
        self.env = dict(keep, PATH=self.path(), HOME=self.folder, SHELL="/bin/sh", XDG_RUNTIME_DIR=self.runtime,
                        DBUS_SESSION_BUS_ADDRESS=bus, DBUS_SYSTEM_BUS_ADDRESS=bus)

    def remove_folder(self):
        """Ends the test. If it has failed, first prints the last lines of each program's log."""
        result = self._outcome.result
        if any(test is self for test, _ in result.failures + result.errors):
            for path in sorted(glob.glob(self.folder + "/*.log")):
                with open(path, encoding="utf-8", errors="backslashreplace") as file:
                    for line in file.read().splitlines()[-20:]:
                        print("    %s: %s" % (os.path.basename(path), line))
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def path():
        return os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/games"

    def start(self, *argv, **options):
        """Starts a program that is ended with the test."""
        user = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        self.programs += 1
        name = os.path.join(self.folder, "%s-%d.log" % (os.path.basename(argv[0]), self.programs))
        with open(name, "ab") as log:
            options.setdefault("stdout", log)
            process = subprocess.Popen(argv, env=dict(self.env, **options.pop("env", {})), stdin=subprocess.DEVNULL,
                                       stderr=log, cwd=self.folder, start_new_session=True, **user, **options)
        process.log = name
        self.addCleanup(self.end, process)
        return process

    def end(self, process, how=signal.SIGTERM):
        if process.poll() is None:
            process.send_signal(how)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # End the programs that it has started, too: its process group has no others.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if process.args[0] in (FOCUS, BRIDGE):
            with open(process.log, encoding="utf-8", errors="backslashreplace") as file:
                log = file.read()
            self.assertFalse([word for word in SANITIZER_WORDS if word in log], log)
            if how == signal.SIGTERM and process.returncode != -signal.SIGKILL:
                self.assertEqual(process.returncode, 0, log)

    def run_tool(self, *argv, **options):
        """Runs a program that ends at once. Returns its output."""
        user = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        result = subprocess.run(argv, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.folder, timeout=PATIENCE, encoding="utf-8", check=False, **user, **options)
        self.assertEqual(result.returncode, 0, "%s: %s%s" % (argv, result.stdout, result.stderr))
        return result.stdout

    def start_bus(self):
        config = os.path.join(self.folder, "bus.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(BUS % os.path.join(self.runtime, "bus"))
        bus = self.start("dbus-daemon", "--nofork", "--config-file=" + config)
        self.await_socket("bus")
        return bus

    def await_socket(self, name):
        """
        Waits until a server listens on this socket of the runtime folder, because the file exists before that. Returns
        its path.
        """
        path = os.path.join(self.runtime, name)

        def listens():
            with socket.socket(socket.AF_UNIX) as client:
                return client.connect_ex(path) == 0
        wait_for(listens, "somebody who listens at " + name)
        return path

    def has_name(self, name):
        """Returns whether anybody owns the name on the session's bus."""
        return name in self.run_tool("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                                     "org.freedesktop.DBus.ListNames")

    def start_printing(self, **env):
        """Starts schedqos-focus --print. Returns the lines that it prints."""
        process = self.start(FOCUS, "--print", stdout=subprocess.PIPE, encoding="utf-8", env=env)
        process.lines = Lines(process.stdout)
        process.lines.wait("^bridge: ")
        return process.lines

    def start_bridge(self, *args):
        """Starts a service that owns org.schedqos1 and prints the reports that it gets."""
        process = self.start(BRIDGE, *args, stdout=subprocess.PIPE, encoding="utf-8")
        process.lines = Lines(process.stdout)
        process.lines.wait("^ready$")
        return process

    def shows(self, lines, pid, text):
        """Waits until the last line about the process has this text."""
        pattern = r"^ *%d\b" % pid
        wait_for(lambda: re.search(text, lines.find(pattern) or ""),
                 lambda: "%d %s in:\n%s" % (pid, text, "\n".join(lines.all)))
