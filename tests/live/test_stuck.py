# SPDX-License-Identifier: GPL-2.0-only
"""
Processes that cannot be inspected without blocking, as under a dead NFS or FUSE file system, are judged by what can be
read, and delay no other task. See stuck.py.
"""

import os
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

from attributes import BACKGROUND, DEFAULT, INITIATED, UI, classes, get_attr, pristine
from daemon import schedqos
from harness import LiveTest
from programs import PYTHON, Program
from tasks import comm, descendants, open_files, state
from waiting import wait_for

STUCK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stuck.py")
# The plain ones go by their names, the chosen one by its arguments.
RULES = {"box": {"qos": BACKGROUND}, "app": {"qos": UI}, "file": {"qos": INITIATED, "match": {"argv": "chosen"}}}
NOBODY = 65534


class Server(Program):
    """A file system that does not answer until it is signalled."""

    def __init__(self, folder, *args, prefix=(), **options):
        self.folder = folder
        super().__init__([*prefix, PYTHON, STUCK, "serve", folder, *args], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, **options)
        if self.popen.stdout.readline() != b"ready\n":
            reason = self.popen.stderr.read().decode(errors="replace").strip()
            self.end()
            raise unittest.SkipTest("no file system of our own: %s" % reason)

    def answer(self):
        self.popen.send_signal(signal.SIGUSR1)

    def end(self):
        """Ends the server, and with it the connection and every wait for it."""
        super().end()
        self.popen.stderr.close()
        subprocess.run(["umount", "-l", self.folder], check=False, stderr=subprocess.DEVNULL)


class Served(LiveTest):
    def serve(self, *args, **options):
        if not os.path.exists("/dev/fuse"):
            self.skipTest("no /dev/fuse")
        folder = tempfile.mkdtemp(dir="/tmp", prefix="schedqos-stuck-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        os.chmod(folder, 0o755)
        server = Server(folder, *args, **options)
        self.addCleanup(server.end)
        return server


class Stuck(Served):
    @staticmethod
    def is_stuck(pid, server):
        """
        Returns whether the process has opened the file. Before that, it may still be reading its program from a disk.
        """
        return state(pid) == "D" and comm(pid) in (b"box", b"file") and server.folder + "/file" in open_files(pid).values()

    def stuck(self, server, name="box", *args):
        """Starts a program that is stuck as soon as it runs."""
        path = self.alias(name, PYTHON)
        program = self.run_program([path, STUCK, "hang", server.folder + "/file", *args])
        # First, since the end of the program has to wait for it.
        self.addCleanup(server.end)
        wait_for(lambda: self.is_stuck(program.pid, server), "a stuck program")
        return program

    def assert_others_do_not_wait(self):
        """Checks that other tasks are tagged while the process is stuck."""
        self.assert_carries(self.sleeper("app"), UI)

    def hang(self, daemon, server, name="box", *args):
        """Makes a program hang after its exec, before the daemon reads its arguments."""
        daemon.freeze()
        try:
            return self.stuck(server, name, *args)
        finally:
            os.kill(daemon.pid, signal.SIGCONT)

    @staticmethod
    def stuck_ones(server, count):
        """Returns the processes that the server runs, once there are that many."""
        found = [pid for pid in server.descendants() if Stuck.is_stuck(pid, server)]
        return len(found) == count and found


class Before(Stuck):
    """The process is stuck before the daemon starts."""

    def test_all_verbs_work_while_a_process_is_stuck(self):
        server = self.serve()
        box, chosen = self.stuck(server), self.stuck(server, "file", "chosen")
        daemon = self.daemon(RULES)
        self.assert_carries(box, BACKGROUND)
        self.assert_carries(chosen, DEFAULT)
        self.assert_others_do_not_wait()
        # On a busy machine, others may be unreadable for a moment.
        wait_for(lambda: "a process cannot be read (2 x)" in schedqos("status").stdout,
                 "their number")
        wait_for(lambda: daemon.status()["unread"] == 2, "just these two")
        self.assertEqual(daemon.reload({**RULES, "box": {"qos": INITIATED}}).returncode, 0)
        self.assert_carries(box, INITIATED)
        self.assert_others_do_not_wait()
        self.assertEqual(daemon.status()["problems"], {})
        daemon.stop(None)
        self.assertEqual((box.attr(), chosen.attr()), (pristine(), pristine()))


# clone on x86-64 and arm64, fork and vfork, clone3.
FORKS = (56, 220, 57, 58, 435)


def system_call(pid):
    """Returns the number of the system call in which a task waits; None if it runs."""
    with open("/proc/%d/syscall" % pid, encoding="ascii") as file:
        number = file.read().split()[0]
    return None if number == "running" else int(number)


class HeldBack(Served):
    def test_a_child_whose_fork_lasts_beyond_the_stop_is_found(self):
        """A parent can hold back its fork for any time. A later restore finds the child."""
        server = self.serve()
        path = self.alias("app", PYTHON)
        app = self.run_program([path, STUCK, "fork", server.folder + "/file"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
        self.addCleanup(server.end)
        daemon = self.daemon({"app": {"qos": UI}})
        self.assert_carries(app, UI)
        app.popen.stdin.write(b"\n")
        app.popen.stdin.flush()
        wait_for(lambda: state(app.pid) == "D" and system_call(app.pid) in FORKS, "a fork that waits")
        daemon.stop()
        self.assertEqual(app.attr(), pristine())
        # The service runs this half a minute after a stop.
        self.assertEqual(schedqos("restore").returncode, 0)
        server.answer()
        child = int(app.popen.stdout.readline())
        self.addCleanup(os.kill, child, signal.SIGKILL)
        self.assertEqual(get_attr(child), classes()[UI])
        daemon = self.daemon({"app": {"qos": UI}})
        daemon.changed.add(child)
        daemon.stop()
        self.assertEqual(get_attr(child), pristine())


class Later(Stuck):
    """The process is stuck once the daemon has received its exec and has its arguments read."""

    def test_only_the_stuck_process_waits(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        chosen = self.hang(daemon, server, "file", "chosen")
        self.assert_others_do_not_wait()
        self.assert_carries(chosen, DEFAULT)
        box = self.hang(daemon, server)
        self.assert_others_do_not_wait()
        self.assert_carries(box, BACKGROUND)
        wait_for(lambda: daemon.status()["unread"] == 2, "both of them known")
        self.assertEqual(daemon.reload({**RULES, "box": {"qos": INITIATED}}).returncode, 0)
        self.assert_carries(box, INITIATED)
        server.answer()
        self.assert_carries(chosen, INITIATED)
        self.assertEqual(daemon.status()["problems"], {})
        daemon.stop(None)
        self.assertEqual((app.attr(), chosen.attr(), box.attr()), (pristine(),) * 3)

    def test_a_stop_does_not_wait_for_a_stuck_process(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        box = self.hang(daemon, server)
        daemon.stop(signal.SIGTERM)
        self.assertEqual((app.attr(), box.attr()), (pristine(), pristine()))

    def test_a_crash_leaves_no_stuck_helper_behind(self):
        server = self.serve()
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        self.hang(daemon, server)
        helpers = self.helpers(daemon)
        daemon.kill()
        for pid in helpers:
            wait_for(lambda pid=pid: state(pid) in (None, "Z"), "the end of who reads for it")
        self.assertEqual(schedqos("restore").returncode, 0)
        daemon.check_undone()
        self.assertEqual(app.attr(), pristine())

    @staticmethod
    def helpers(daemon):
        return [pid for pid in descendants(daemon.pid) if comm(pid) == b"schedqos-helper" and state(pid) not in (None, "Z", "X")]

    def test_many_stuck_processes_of_a_user_delay_nobody(self):
        prefix = ["unshare", "-Urm"]
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        if subprocess.run([*prefix, "true"], check=False, stderr=subprocess.DEVNULL, **as_nobody).returncode:
            self.skipTest("users cannot make user namespaces here")
        device = "/dev/fuse"
        if not os.path.exists(device):
            self.skipTest("no /dev/fuse")
        # Some machines do not let users open this device. Root cannot open it for them, because it has to be opened in
        # their namespace.
        if os.stat(device).st_mode & 0o006 != 0o006:
            number, device = os.stat(device).st_rdev, self.path("fuse")
            os.mknod(device, stat.S_IFCHR, number)
            os.chmod(device, 0o666)
        daemon = self.daemon(RULES)
        self.assert_others_do_not_wait()
        daemon.freeze()
        try:
            server = self.serve("20", self.alias("box", PYTHON), prefix=prefix, env=dict(os.environ, FUSE=device), **as_nobody)
            stuck = wait_for(lambda: self.stuck_ones(server, 20), "programs that are stuck")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        for _ in range(10):
            self.assert_others_do_not_wait()
        for pid in stuck:
            wait_for(lambda pid=pid: get_attr(pid) != pristine(), "a class for each of them")
        wait_for(lambda: daemon.status()["unread"] >= 20, "all of them known")
        self.assertEqual(daemon.status()["lost"], 0)
