# SPDX-License-Identifier: GPL-2.0-only
"""Starts the daemon, waits until it is ready, and queries it."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from . import accounting, attr
from .process import Failure, Program, until
from .running import Listening

READY_TIMEOUT = 120


class Daemon(Listening):
    """
    A context in which the daemon runs with these options; entered when it is ready, left when it has ended. What a
    killed one left behind is put back at the end.
    """

    tags = probed = True
    asking_events = 2

    def __init__(self, executable, options, classes=None):
        self.argv = [executable, "start", *options]
        self.classes = classes or attr.CLASSES
        self.folder = self.ready_ns = self.ready_cpu_ns = None

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="schedqos-bench-")
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        address = os.path.join(self.folder.name, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, \
                open(os.path.join(self.folder.name, "log"), "w", encoding="utf-8") as log:
            notify.bind(address)
            environment = {**os.environ, "NOTIFY_SOCKET": address}
            start = time.monotonic_ns()
            self.program = Program(self.argv, stderr=log, stdout=log, stdin=subprocess.DEVNULL,
                                   env=environment, death_signal=signal.SIGTERM)
            self._await_ready(notify)
            self.ready_ns = time.monotonic_ns() - start
            self.ready_cpu_ns = accounting.cpu_ns(self.pid)

    def _await_ready(self, notify):
        notify.settimeout(0.2)
        end = time.monotonic() + READY_TIMEOUT
        while time.monotonic() < end and self.program.process.poll() is None:
            try:
                if b"READY=1" in notify.recv(4096):
                    return
            except socket.timeout:
                pass
        raise Failure(f"the daemon does not start:\n{self.log()}")

    def __exit__(self, *_):
        died = self.program and self.program.process.poll() is not None
        try:
            if self.program:
                self.program.end()
            if died:
                subprocess.run([self.argv[0], "restore"], capture_output=True, check=False)
        finally:
            self.folder.cleanup()

    def counts(self):
        return status(self.argv[0])

    def reload(self, timeout=120):
        """By signal, since a call on the bus times out after 25 seconds. Returns the CPU time that it took, in ns."""
        before = accounting.cpu_ns(self.pid)
        os.kill(self.pid, signal.SIGHUP)
        until(lambda: accounting.cpu_ns(self.pid) > before, timeout, "reload")
        if not accounting.wait_until_idle(self.pid, timeout=timeout):
            raise Failure(f"reload takes more than {timeout} s")
        return accounting.cpu_ns(self.pid) - before

    def log(self):
        return Path(self.folder.name, "log").read_text(encoding="utf-8", errors="replace")


def status(executable):
    """The status of the running daemon, or a Failure."""
    run = subprocess.run([executable, "status", "--json"], capture_output=True, text=True, check=False)
    if run.returncode:
        raise Failure(f"schedqos status: {run.stderr.strip()}")
    return json.loads(run.stdout)


def is_running(executable):
    run = subprocess.run([executable, "status"], capture_output=True, check=False)
    return run.returncode == 0
