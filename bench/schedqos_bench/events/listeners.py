# SPDX-License-Identifier: GPL-2.0-only
"""The variants that are compared: nothing, the two references, and the daemon."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from . import account, rules
from ..process import Failure, Program, until

READY_TIMEOUT = 120


class Nothing:
    """(a) Nobody listens."""

    pid = None
    tags = False  # whether the workload's tasks get their classes by themselves
    probed = False  # whether latency can be measured
    asking_events = 0  # which asking for the counts makes it hear

    def __init__(self, key, label):
        self.key, self.label = key, label

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def settle(self):
        pass

    def usage(self):
        return account.Usage(0, 0, 0)

    def counts(self):
        return {}


class _Running(Nothing):
    program = None

    @property
    def pid(self):
        return self.program.pid

    def __exit__(self, *_):
        self.program.end()
        self.program = None

    def settle(self):
        if not account.settle(self.pid):
            raise Failure(f"{self.label}: does not catch up")

    def usage(self):
        return account.usage(self.pid)


class Listener(_Running):
    """(b) and (t) A reference listener."""

    def __init__(self, key, label, build, mode):
        super().__init__(key, label)
        self.probed = mode == "tagger"
        self.args = [Path(build) / "bench" / "bench-listener", *_tagger_options(), mode]

    def __enter__(self):
        self.program = Program(self.args)
        self.program.read_line()
        return self

    def counts(self):
        os.kill(self.pid, signal.SIGUSR1)
        return self.program.read_json()


def _tagger_options():
    options = []
    for name, rule in rules.OWN.items():
        options += ["-p", f"{name}={rules.expected(name)}"]
        for thread in rule.get("thread_qos", {}):
            if "*" not in thread:
                options += ["-t", f"{thread}={rules.expected(name, thread)}"]
    return options


class Daemon(_Running):
    """(c) and (d) The daemon with a configuration."""

    tags = probed = True
    asking_events = 2

    def __init__(self, key, label, build, config_options):
        super().__init__(key, label)
        self.executable = Path(build) / "schedqos"
        self.options = config_options
        self.ready_ns = None
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
            start = time.monotonic_ns()
            self.program = Program([self.executable, "start", *self.options], stderr=log,
                                   stdout=log, stdin=subprocess.DEVNULL, env=environment,
                                   death_signal=signal.SIGTERM)
            self._await_ready(notify)
            self.ready_ns = time.monotonic_ns() - start

    def _await_ready(self, notify):
        notify.settimeout(0.2)
        end = time.monotonic() + READY_TIMEOUT
        while time.monotonic() < end and self.program.process.poll() is None:
            try:
                if b"READY=1" in notify.recv(4096):
                    return
            except TimeoutError:
                pass
        raise Failure(f"the daemon does not start:\n{self.log()}")

    def __exit__(self, *_):
        try:
            if self.program:
                super().__exit__()
        finally:
            self.folder.cleanup()

    def log(self):
        return Path(self.folder.name, "log").read_text(encoding="utf-8", errors="replace")

    def counts(self):
        return status(self.executable)

    def reload(self, timeout=120):
        """By signal: who asks on the bus gives up after 25 seconds. Returns the CPU time that it took, in ns."""
        before = account.cpu_ns(self.pid)
        os.kill(self.pid, signal.SIGHUP)
        until(lambda: account.cpu_ns(self.pid) > before, timeout, "reload")
        if not account.settle(self.pid, timeout=timeout):
            raise Failure(f"reload takes more than {timeout} s")
        return account.cpu_ns(self.pid) - before


def status(executable):
    """What the running daemon says of itself, or a Failure."""
    run = subprocess.run([executable, "status", "--json"], capture_output=True, text=True,
                         check=False)
    if run.returncode:
        raise Failure(f"schedqos status: {run.stderr.strip()}")
    return json.loads(run.stdout)


def is_running(executable):
    run = subprocess.run([executable, "status"], capture_output=True, check=False)
    return run.returncode == 0
