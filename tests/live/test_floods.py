# SPDX-License-Identifier: GPL-2.0-only
"""
A user floods the daemon: its netlink port, its control socket, renames. Other tasks are tagged as usual, memory and log
do not grow, and the status names the flood.
"""

import contextlib
import os
import re
import socket
import struct
import subprocess
import threading
import time

from attributes import BACKGROUND, INITIATED, UI
from daemon import TOP, is_sanitized, schedqos
from harness import LiveTest
from programs import sleep_program
from waiting import PATIENCE, storm_of, wait_for

RULES = {"app": {"qos": BACKGROUND}, "other": {"qos": INITIATED}}
BUS = "/run/schedqos/bus"
NOBODY = 65534

# A sanitizer keeps freed memory from being used again for a while; make that short.
ENVIRON = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=1:quarantine_size_mb=1"}


class Floods(LiveTest):
    def daemon(self, config=None, **options):
        return super().daemon(config, environ=ENVIRON, **options)

    def calm(self, daemon):
        """Returns the figures that must not grow in a flood: resident bytes and lines of the log."""
        return daemon.status()["resident_bytes"], daemon.log().count("\n")

    def assert_calm(self, daemon, before, lines):
        resident, count = self.calm(daemon)
        self.assertLess(resident, before[0] + (16 << 20))
        self.assertLessEqual(count, before[1] + lines, daemon.log())

    def assert_tags(self):
        for name, qos in (("app", BACKGROUND), ("other", INITIATED)):
            self.assert_carries(self.sleeper(name), qos)


class Port(Floods):
    def test_events_from_other_senders_are_ignored(self):
        daemon, flooder = self.daemon(RULES), self.puppet()
        self.assertEqual(flooder.tell(0, "flood", [port for port, _ in daemon.sockets()], 10), 0)
        self.assert_tags()


def string(text):
    raw = text.encode()
    return struct.pack("<I", len(raw)) + raw + b"\0"


def aligned(raw):
    return raw + b"\0" * (-len(raw) % 8)


def call(number, member):
    """Makes a D-Bus method call without arguments, byte by byte."""
    fields = b""
    for code, kind, value in ((1, "o", "/org/schedqos1"), (2, "s", "org.schedqos1.Manager"), (3, "s", member)):
        fields = aligned(fields) + struct.pack("<BB", code, 1) + kind.encode() + b"\0" + string(value)
    return aligned(struct.pack("<BBBBIII", ord("l"), 1, 0, 1, 0, number, len(fields)) + fields)


class Control(Floods):
    HELLO = b"\0AUTH EXTERNAL 30\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n"

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.connect(BUS)
        return client

    def test_idle_connections_do_not_stop_the_daemon(self):
        """
        The connections are silent, or stop in the middle of a word or a message. Further ones are refused until some of
        them end.
        """
        daemon = self.daemon(RULES)
        before = self.calm(daemon)
        question = call(1, "Status")
        parts = (b"", b"\0AUTH EXT", self.HELLO, self.HELLO + question[:60], self.HELLO + question[:-1])
        clients = [self.connect() for _ in range(300)]
        for i, client in enumerate(clients):
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(parts[i % len(parts)])
        self.assert_tags()
        self.assertEqual(schedqos("status").returncode, 1)
        for client in clients:
            client.close()
        wait_for(lambda: schedqos("status").returncode == 0, "an answer")
        problem, = daemon.status()["problems"].items()
        self.assertIn("cannot serve a client", problem[0])
        self.assertGreater(problem[1], 200)
        self.assert_calm(daemon, before, 1)

    def test_a_message_that_claims_to_be_long_disconnects_its_sender(self):
        """The daemon has only the memory that the unit grants. Other clients notice nothing."""
        if is_sanitized():
            self.skipTest("the sanitizer takes terabytes")
        with open(os.path.join(TOP, "systemd/schedqos.service"), encoding="ascii") as file:
            granted = int(re.search(r"^LimitDATA=(\d+)M$", file.read(), re.M)[1]) << 20
        daemon, client = self.daemon(RULES, prefix=["prlimit", "--data=%d" % granted, "--"]), self.connect()
        client.settimeout(PATIENCE)
        client.sendall(self.HELLO + struct.pack("<BBBBIII", ord("l"), 1, 0, 1, 120 << 20, 1, 16))
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            while True:
                client.sendall(bytes(65536))
        self.assert_tags()
        with open("/proc/%d/status" % daemon.pid, encoding="ascii") as file:
            self.assertLess(int(re.search(r"^VmHWM:\s*(\d+) kB$", file.read(), re.M)[1]) << 10, granted)

    def test_a_client_that_reads_no_answers_is_disconnected(self):
        daemon = self.daemon(RULES)
        before = self.calm(daemon)
        client = self.connect()
        client.sendall(self.HELLO)
        client.settimeout(PATIENCE)
        number = 0
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            for number in range(1, 100000):
                client.sendall(call(number, "Status"))
        self.assert_tags()
        problem, = daemon.status()["problems"]
        self.assertIn("does not read its answers", problem)
        self.assertIn(problem, schedqos("status").stdout)
        self.assert_calm(daemon, before, 1)


class Renames(Floods):
    def flood(self, flooders, renames, body):
        """Calls body repeatedly while these puppets rename themselves that many times each."""
        floods = [threading.Thread(target=flooder.tell, args=(0, "rename_often", renames)) for flooder in flooders]
        began = time.monotonic()
        for flood in floods:
            flood.start()
        while any(flood.is_alive() for flood in floods):
            body()
        for flood in floods:
            flood.join()
        rate = renames * len(flooders) / (time.monotonic() - began)
        # On a slow machine the renames may not be a flood.
        if rate < 20000:
            self.skipTest("no more than %.0f renames a second here" % rate)

    def assert_not_received(self, daemon, before, begun):
        """Checks that the flood costs no scan, and is logged once, with the sender."""
        daemon.sync()
        status = daemon.status()
        self.assertGreater(status["rename_floods"], 0)
        self.assertEqual((status["lost"], status["scans"], status["refused"]), (0, begun["scans"], {}))
        self.assertIn("renames", daemon.log())
        self.assert_calm(daemon, before, 1)

    def test_a_hundred_thousand_renames_cost_no_scan(self):
        """The renames come as fast as possible. No rule has any of the names, but rules have other names."""
        daemon = self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}, "other": {"qos": INITIATED}})
        flooder, app = self.puppet("flooder"), self.puppet("app")
        flooder.tell(0, "become", NOBODY)
        number, thread = app.tell(0, "thread")
        self.assert_carries(app, BACKGROUND)
        daemon.sync()
        before, begun = self.calm(daemon), daemon.status()

        def others():
            self.assert_tags()
            app.tell(number, "name", "ui")
            self.assert_carries(thread, UI)
            app.tell(number, "name", "plain")
            self.assert_carries(thread, BACKGROUND)

        self.flood([flooder], storm_of(100000), others)
        self.assert_not_received(daemon, before, begun)
        # The last sender is unknown if the daemon ran so rarely that events were dropped.
        self.assertRegex(daemon.log(), "process %d|the last of somebody" % flooder.pid)

    def test_renames_are_received_only_if_a_rule_needs_names(self):
        """They are received as soon as a reload brings such a rule, and until a reload removes it."""
        named = {"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}}
        daemon = self.daemon(RULES)
        app = self.puppet("app")
        number, thread = app.tell(0, "thread")
        daemon.sync()
        sockets = len(daemon.sockets())
        app.tell(0, "rename_often", 100)
        daemon.sync()
        self.assertEqual(daemon.status()["renames"], 0)
        self.assertEqual(daemon.reload(named).returncode, 0)
        self.assertEqual(len(daemon.sockets()), sockets + 1)
        app.tell(number, "name", "ui")
        self.assert_carries(thread, UI)
        self.assertEqual(daemon.reload(RULES).returncode, 0)
        self.assert_carries(thread, BACKGROUND)
        self.assertEqual(len(daemon.sockets()), sockets)


class Groups(Floods):
    """Processes of a user in the largest number of groups, whose status therefore takes long to read."""

    def test_slow_reads_about_a_user_s_processes_soon_end(self):
        slow = {"slow": {"qos": BACKGROUND, "match": {"user": str(NOBODY)}}}
        daemon = self.daemon({**RULES, **slow})
        for _ in range(8):
            process = subprocess.Popen(["slow", "1000"], executable=sleep_program(), user=NOBODY, group=NOBODY,
                                       extra_groups=range(1 << 16))
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        wait_for(lambda: "reading about processes of user %d takes too long" % NOBODY in daemon.log(), daemon.log)
        self.assert_tags()

        def explained():
            text = daemon.ask("explain", str(process.pid)).stdout
            return "takes too long" in text and text

        self.assertNotRegex(wait_for(explained, "explain says so"), "uid -?nan")
        self.assertEqual(daemon.reload().returncode, 0)
        self.assert_tags()
