# SPDX-License-Identifier: GPL-2.0-only
"""
Processes that cannot be inspected without blocking, as under a dead NFS or FUSE file system: they are judged by what
can be read, all others as if they were not there. See stuck.c.
"""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from attributes import get_attr, pristine
from daemon import SCHEDQOS, Daemon, environment, schedqos
from groups import tool
from harness import LiveTest, main
from programs import Program
from tasks import comm, descendants, state
from waiting import PATIENCE, wait_for

UI, INITIATED, BACKGROUND, DEFAULT = (
    "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_BACKGROUND", "QOS_DEFAULT")
# The plain ones go by their names, the chosen one by its arguments.
RULES = {"box": {"qos": BACKGROUND}, "app": {"qos": UI}, "file": {"qos": INITIATED, "match": {"argv": "chosen"}}}
# So long may another program have to wait for its class: one of a few, since on a busy machine we ourselves wait longer.
SOON = 0.3
TRIES = 4
NOBODY = 65534


class Server(Program):
    """A file system that does not answer until it is signalled."""

    def __init__(self, folder, *args, prefix=(), **options):
        self.folder = folder
        super().__init__([*prefix, tool("stuck"), "serve", folder, *args], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, **options)
        if self.popen.stdout.readline() != b"ready\n":
            reason = self.popen.stderr.read().decode(errors="replace").strip()
            self.end()
            raise unittest.SkipTest("no file system of our own: %s" % reason)

    def answer(self):
        self.popen.send_signal(signal.SIGUSR1)

    def end(self):
        """With its server the connection ends, and every wait for it."""
        super().end()
        self.popen.stderr.close()
        subprocess.run(["umount", "-l", self.folder], check=False, stderr=subprocess.DEVNULL)


class Stuck(LiveTest):
    def serve(self, *args, **options):
        if not os.path.exists("/dev/fuse"):
            self.skipTest("no /dev/fuse")
        folder = tempfile.mkdtemp(dir="/tmp", prefix="schedqos-stuck-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        os.chmod(folder, 0o755)
        server = Server(folder, *args, **options)
        self.addCleanup(server.end)
        return server

    def stuck(self, server, name="box", *args, how="hang"):
        """A program that is stuck as soon as it runs."""
        path = self.alias(name, tool("stuck"))
        program = self.run_program([path, how, server.folder + "/file", *args])
        # First, since the end of the program has to wait for it.
        self.addCleanup(server.end)
        wait_for(lambda: state(program.pid) == "D" and comm(program.pid) == name.encode(), "a stuck program")
        return program

    def assert_soon(self, name, qos):
        """Another program is tagged as if there were nothing."""
        def took():
            began = time.monotonic()
            self.assert_carries(self.sleeper(name), qos)
            return time.monotonic() - began
        times = []
        while len(times) < TRIES and (not times or times[-1] >= SOON):
            times.append(took())
        self.assertLess(times[-1], SOON, times)

    def hang(self, pid, server, name="box", *args, **options):
        """A program is stuck before the daemon, process pid, reads its arguments, right after its exec."""
        os.kill(pid, signal.SIGSTOP)
        wait_for(lambda: state(pid) == "T", "the daemon stopped")
        try:
            return self.stuck(server, name, *args, **options)
        finally:
            os.kill(pid, signal.SIGCONT)

    @staticmethod
    def successor(pid):
        """The process in which the daemon goes on that was this one."""
        def found():
            asked = schedqos("status", "--json")
            now = json.loads(asked.stdout)["pid"] if asked.returncode == 0 else pid
            return now != pid and now
        return wait_for(found, "another process")


    @staticmethod
    def stuck_ones(server, count):
        """Those that the server runs, when they are so many."""
        found = [pid for pid in server.descendants() if comm(pid) == b"exe" and state(pid) == "D"]
        return len(found) == count and found


class Before(Stuck):
    """It is there when the daemon starts."""

    def test_all_verbs_work(self):
        server = self.serve()
        box, chosen = self.stuck(server), self.stuck(server, "file", "chosen")
        daemon = self.daemon(RULES)
        self.assert_carries(box, BACKGROUND)
        self.assert_carries(chosen, DEFAULT)
        self.assert_soon("app", UI)
        # Others may be so for a moment, on a busy machine.
        wait_for(lambda: "2 processes keep whoever reads their arguments waiting" in schedqos("status").stdout,
                 "their number")
        wait_for(lambda: daemon.status()["unread"] == 2, "just these two")
        self.assertEqual(daemon.reload({**RULES, "box": {"qos": INITIATED}}).returncode, 0)
        self.assert_carries(box, INITIATED)
        self.assert_soon("app", UI)
        self.assertEqual((daemon.status()["pid"], daemon.status()["problems"]), (daemon.pid, {}))
        daemon.stop(None)
        self.assertEqual((box.attr(), chosen.attr()), (pristine(), pristine()))

    def test_doctor_names_it(self):
        server = self.serve()
        box, rival = self.stuck(server, "box\x1b"), self.stuck(server, "schedqos")
        found = {finding["what"].split(", keeps")[0]: finding["state"]
                 for finding in json.loads(schedqos("doctor", "--json").stdout)["findings"]
                 if finding["name"] == "unread"}
        self.assertEqual(found, {"box\\x1b, pid %d" % box.pid: "note", "schedqos, pid %d" % rival.pid: "note"})
        server.answer()
        wait_for(lambda: state(rival.pid) == "S" and state(box.pid) == "S", "programs that go on")
        wait_for(lambda: "every process's arguments can be read" in schedqos("doctor").stdout, "nothing to tell of")

    def test_it_gets_its_class_when_it_goes_on(self):
        server = self.serve()
        chosen = self.stuck(server, "file", "chosen")
        daemon = self.daemon(RULES)
        self.assert_carries(chosen, DEFAULT)
        server.answer()
        self.assert_carries(chosen, INITIATED)
        wait_for(lambda: daemon.status()["unread"] == 0, "nobody to be looked at again")

    def test_it_is_forgotten_when_it_ends(self):
        server = self.serve()
        self.stuck(server)
        daemon = self.daemon(RULES)
        wait_for(lambda: daemon.status()["unread"] == 1, "it known")
        server.end()
        end = time.monotonic() + PATIENCE
        while daemon.status()["unread"] and time.monotonic() < end:
            self.sleeper("app").end()
        self.assertEqual(daemon.status()["unread"], 0)

    def test_what_a_killed_daemon_left_is_put_back(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        app, box = self.sleeper("app"), self.sleeper("box")
        self.assert_carries(app, UI)
        self.assert_carries(box, BACKGROUND)
        self.stuck(server, "file")
        daemon.kill()
        self.assertEqual(schedqos("restore").returncode, 0)
        daemon.check_undone()
        self.assertEqual((app.attr(), box.attr()), (pristine(), pristine()))


class Later(Stuck):
    """It is stuck when the daemon, having received its exec, reads its arguments."""

    def test_the_daemon_goes_on_in_another_process(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        chosen = self.hang(daemon.pid, server, "file", "chosen")
        self.assert_soon("app", UI)
        child = self.successor(daemon.pid)
        self.assertIn(child, descendants(daemon.pid))
        self.assert_carries(chosen, DEFAULT)
        self.assert_carries(app, UI)
        self.assertIn("looking at process %d (file) took for ever" % chosen.pid, daemon.log())
        self.assertEqual(list(daemon.status()["problems"].values()), [1])
        # The next one is no surprise.
        box = self.hang(child, server)
        self.assert_soon("app", UI)
        self.assert_carries(box, BACKGROUND)
        self.assertEqual(daemon.status()["pid"], child)
        wait_for(lambda: daemon.status()["unread"] == 2, "both of them known")
        findings = {finding["name"]: finding for finding in json.loads(schedqos("doctor", "--json").stdout)["findings"]}
        self.assertEqual(findings["daemon"]["what"], "runs as pid %d" % child)
        self.assertEqual(findings["rivals"]["state"], "ok")
        self.assertEqual(daemon.reload({**RULES, "box": {"qos": INITIATED}}).returncode, 0)
        self.assert_carries(box, INITIATED)
        server.answer()
        self.assert_carries(chosen, INITIATED)
        daemon.stop(None)
        self.assertEqual((app.attr(), chosen.attr(), box.attr()), (pristine(),) * 3)

    def test_what_nobody_holds_stays(self):
        """Classes and limits of root's; and an ordinary user cannot ask for one more look meanwhile."""
        server = self.serve()
        daemon = self.daemon(RULES)
        app, other, theirs = self.sleeper("app"), self.sleeper("app"), self.sleeper("app", user=NOBODY)
        for program in (app, other, theirs):
            self.assert_carries(program, UI)
        self.assertEqual(schedqos("limit", "--keep", str(app.pid), BACKGROUND).returncode, 0)
        self.assertEqual(schedqos("set", str(other.pid), INITIATED).returncode, 0)
        self.hang(daemon.pid, server)
        self.successor(daemon.pid)
        self.assert_keeps(app, BACKGROUND)
        self.assert_keeps(other, INITIATED)
        self.assertEqual(daemon.status()["overrides"], 2)
        program = self.copy("schedqos", SCHEDQOS)
        result = subprocess.run([program, "set", str(theirs.pid), BACKGROUND], user=NOBODY, group=NOBODY, extra_groups=[],
                                env=environment(), capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("only root is served", result.stderr)
        self.assertEqual(schedqos("limit", "--lift", str(app.pid)).returncode, 0)
        self.assert_carries(app, UI)
        server.answer()
        daemon.stop(None)
        self.assertEqual((app.attr(), other.attr()), (pristine(), pristine()))

    def test_signals_are_passed_on(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        box = self.hang(daemon.pid, server)
        self.successor(daemon.pid)
        daemon.configure({"box": {"qos": INITIATED}})
        daemon.popen.send_signal(signal.SIGHUP)
        self.assert_carries(box, INITIATED)
        daemon.stop(signal.SIGTERM)
        self.assertEqual(box.attr(), pristine())

    def test_the_service_manager_hears_of_it_no_more_than_before(self):
        """From the process that it has started, as long as that is asked for."""
        server = self.serve()
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(self.path("notify"))
        manager.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        manager.settimeout(PATIENCE)
        daemon = self.daemon(RULES, environ={"NOTIFY_SOCKET": self.path("notify"), "WATCHDOG_USEC": "200000"})
        self.hang(daemon.pid, server)
        self.successor(daemon.pid)
        seen = [self.message(manager) for _ in range(10)]
        self.assertEqual({pid for pid, _ in seen}, {daemon.pid})
        self.assertEqual({text for _, text in seen[-3:]}, {b"WATCHDOG=1"})
        # A receiver that does not listen would be waited for.
        manager.close()

    @staticmethod
    def message(manager):
        text, ancillary, _, _ = manager.recvmsg(4096, 1024)
        return struct.unpack("3i", ancillary[0][2])[0], text

    def test_a_stop_at_that_moment(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        box = self.hang(daemon.pid, server)
        wait_for(lambda: state(daemon.pid) == "D", "a daemon that hangs")
        daemon.stop(signal.SIGTERM)
        self.assertEqual((app.attr(), box.attr()), (pristine(), pristine()))

    def test_the_process_that_was_started_is_killed(self):
        """What is left of it can hardly be told from the daemon: its end is a stop."""
        server = self.serve()
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        self.hang(daemon.pid, server)
        self.successor(daemon.pid)
        daemon.kill()
        daemon.check_undone()
        self.assertEqual(app.attr(), pristine())

    def test_the_other_process_crashes(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        self.hang(daemon.pid, server)
        os.kill(self.successor(daemon.pid), signal.SIGKILL)
        self.assertEqual(daemon.popen.wait(PATIENCE), 1)
        before = daemon.before
        daemon = self.daemon(RULES)
        daemon.before = before
        self.assert_carries(app, UI)
        daemon.stop()

    def test_in_the_background(self):
        server = self.serve()
        files = self.prepare(RULES)
        result = schedqos("start", "-d", *files.options())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.addCleanup(schedqos, "stop")
        first = json.loads(schedqos("status", "--json").stdout)["pid"]
        box = self.hang(first, server)
        self.assert_soon("app", UI)
        self.assert_carries(box, BACKGROUND)
        self.successor(first)
        self.assertEqual(schedqos("stop").returncode, 0)
        self.assertEqual(box.attr(), pristine())
        wait_for(lambda: state(first) in (None, "Z"), "the end of what was started")

    def leave_it_the_memory(self):
        """
        The daemon is the last to use the memory of a process that was killed meanwhile, and waits for what it left
        unread: see reader.h. Returns both and the server, or nothing if the process itself was the last.
        """
        server = self.serve()
        daemon = self.daemon(RULES)
        os.sched_setaffinity(daemon.pid, {min(os.sched_getaffinity(0))})
        box = self.hang(daemon.pid, server, how="leave")
        os.sched_setaffinity(box.pid, os.sched_getaffinity(daemon.pid))
        wait_for(lambda: state(daemon.pid) == "D", "a daemon that hangs")
        # So that the process ends before the daemon gets on.
        os.sched_setscheduler(daemon.pid, os.SCHED_IDLE, os.sched_param(0))
        box.popen.kill()
        server.answer()
        wait_for(lambda: self.waits_at_the_end(box.pid) or self.waits_at_the_end(daemon.pid), "who was the last")
        if self.waits_at_the_end(daemon.pid):
            return server, daemon
        os.sched_setscheduler(daemon.pid, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(daemon.pid, os.sched_getaffinity(0))
        server.end()
        daemon.stop()
        return None

    @staticmethod
    def waits_at_the_end(pid):
        with open("/proc/%d/stack" % pid, encoding="ascii") as stack:
            return "exit_aio" in stack.read()

    def test_a_wait_that_no_signal_ends(self):
        app = self.sleeper("app")
        for _ in range(8):
            left = self.leave_it_the_memory()
            if left:
                break
        else:
            self.skipTest("each time the process was the last itself")
        server, daemon = left
        try:
            self.goes_on_without(daemon, app)
        finally:
            server.end()
        self.assertEqual(daemon.popen.wait(PATIENCE), 0)

    def goes_on_without(self, daemon, app):
        self.assert_carries(app, UI)
        self.assert_soon("app", UI)
        child = self.successor(daemon.pid)
        self.assertEqual(schedqos("stop").returncode, 0)
        self.assertEqual(app.attr(), pristine())
        wait_for(lambda: state(child) is None, "the end of the other process")
        # Nothing ends the process that was started, but it does no harm.
        self.assertIsNone(daemon.popen.poll())
        second = Daemon(self.folder, RULES).start()
        self.addCleanup(second.discard)
        self.assert_carries(app, UI)
        second.stop()

    def test_many_by_a_user_without_privileges(self):
        prefix = ["unshare", "-Urm"]
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        if subprocess.run([*prefix, "true"], check=False, stderr=subprocess.DEVNULL, **as_nobody).returncode:
            self.skipTest("users cannot make user namespaces here")
        daemon = self.daemon(RULES)
        self.assert_soon("app", UI)
        daemon.freeze()
        try:
            server = self.serve("40", "box", prefix=prefix, **as_nobody)
            stuck = wait_for(lambda: self.stuck_ones(server, 40), "programs that are stuck")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        for _ in range(10):
            self.assert_soon("app", UI)
        for pid in stuck:
            wait_for(lambda pid=pid: get_attr(pid) != pristine(), "a class for each of them")
        wait_for(lambda: daemon.status()["unread"] >= 40, "all of them known")
        self.assertEqual(daemon.status()["lost"], 0)


if __name__ == "__main__":
    main()
