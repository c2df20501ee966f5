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

from . import attr
from .process import Failure, Program
from .running import Listening

READY_TIMEOUT = 120


class Daemon(Listening):
    """
    A context in which the daemon runs with these options; entered when it is ready, left when it has ended. What a
    killed one left behind is put back at the end.
    """

    tags = probed = True

    def __init__(self, executable, options, classes=None):
        self.argv = [executable, "start", *options]
        self.classes = classes or attr.CLASSES
        self.folder = None

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
            self.program = Program(self.argv, stderr=log, stdout=log, stdin=subprocess.DEVNULL,
                                   env=environment, death_signal=signal.SIGTERM)
            self._await_ready(notify)

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
