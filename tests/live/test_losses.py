# SPDX-License-Identifier: GPL-2.0-only
"""After the kernel has dropped events, every task is soon right again, and the loss is counted."""

import contextlib
import os
import signal
import socket
import subprocess

from attributes import BACKGROUND, DEFAULT, INITIATED, LIBC, UI, get_attr, pristine
from harness import LiveTest
from tasks import open_files


SYS_PIDFD_GETFD = 438
SO_RCVBUFFORCE = 33
BUFFER = 16 << 20


class Losses(LiveTest):
    @contextlib.contextmanager
    def deaf(self, daemon):
        """Stops the daemon with its receive buffers full, so that all events are lost meanwhile."""
        daemon.freeze()
        try:
            self.resize(daemon, 1)
            self.flood(daemon)
            # The kernel goes on dropping events until the buffers have been empty.
            self.resize(daemon, BUFFER)
            yield
        finally:
            os.kill(daemon.pid, signal.SIGCONT)

    def drops(self, daemon):
        return [drops for _, drops in daemon.sockets()]

    def resize(self, daemon, size):
        """Gives the daemon's receive buffers this size, or the smallest that the kernel allows."""
        pidfd = os.pidfd_open(daemon.pid)
        for fd, file in open_files(daemon.pid).items():
            if not file.startswith("socket:"):
                continue
            copy = LIBC.syscall(SYS_PIDFD_GETFD, pidfd, fd, 0)
            with socket.socket(fileno=copy) as theirs:
                if theirs.family == socket.AF_NETLINK:
                    theirs.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, size)
        os.close(pidfd)

    def flood(self, daemon):
        """Makes events of every kind until each of the daemon's sockets drops them."""
        flooder = self.puppet("flooder")
        self.assertTrue(self.drops(daemon))
        for _ in range(60):
            flooder.tell(0, "rename_often", 100)
            flooder.tell(0, "threads_often", 100)
            subprocess.run(["true"], check=True)
            if all(self.drops(daemon)):
                break
        self.assertTrue(all(self.drops(daemon)), "no overflow")
        flooder.end()

    def test_after_a_storm_every_task_has_its_class(self):
        old = self.puppet("app")
        number, thread = old.tell(0, "thread")
        daemon = self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}, "other": {"qos": INITIATED}})
        self.assert_carries(old, BACKGROUND)
        shell = self.puppet("shell")
        with self.deaf(daemon):
            programs = [(self.sleeper("app" if i % 2 else "other"), (INITIATED, BACKGROUND)[i % 2]) for i in range(100)]
            # While events were lost, it renamed itself, forked, and executed another program.
            old.tell(number, "name", "ui")
            children = old.tell(0, "fork", 5)
            inner = old.tell(number, "thread")[1]
            shell.tell(0, "run", [self.alias("other"), "1000"])
            orphan = self.sleeper("parent")
        for program, qos in programs:
            self.assert_carries(program, qos)
        self.assert_carries(thread, UI)
        self.assert_carries(inner, UI)
        self.assert_carries(shell, INITIATED)
        self.assert_carries(orphan, DEFAULT)
        for child in children:
            self.assert_carries(child, BACKGROUND)
        status = daemon.status()
        self.assertGreater(status["lost"], 0)
        self.assertGreater(status["scans"], 1)
        self.assertIn("the kernel dropped events", daemon.log())
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        daemon.stop()
        for pid in (old.pid, thread, inner, shell.pid, *children, *(program.pid for program, _ in programs)):
            self.assertEqual(get_attr(pid), pristine())

    def test_a_stop_while_events_are_lost_puts_all_back(self):
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        app = self.puppet("app")
        self.assert_carries(app, BACKGROUND)
        with self.deaf(daemon):
            programs = [self.sleeper("app") for _ in range(50)]
            children = app.tell(0, "fork", 50)
            app.tell(0, "thread")
            # The daemon meets the signal before it has read anything.
            daemon.popen.terminate()
        daemon.wait()
        for pid in (app.pid, *children, *(program.pid for program in programs)):
            self.assertEqual(get_attr(pid), pristine())
        daemon.check_undone()
