# SPDX-License-Identifier: GPL-2.0-only
"""The variants that are compared: nothing, the two references, and the daemon."""

import os
import signal
from pathlib import Path

from . import account, rules
from .. import daemon
from ..process import Failure, Program, until


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
        self.daemon = None

    @property
    def program(self):
        return self.daemon.program

    @property
    def ready_ns(self):
        return self.daemon.ready_ns

    def __enter__(self):
        self.daemon = daemon.Daemon(self.executable, self.options)
        self.daemon.__enter__()
        return self

    def __exit__(self, *_):
        self.daemon.__exit__()

    def counts(self):
        return daemon.status(self.executable)

    def reload(self, timeout=120):
        """By signal: who asks on the bus gives up after 25 seconds. Returns the CPU time that it took, in ns."""
        before = account.cpu_ns(self.pid)
        os.kill(self.pid, signal.SIGHUP)
        until(lambda: account.cpu_ns(self.pid) > before, timeout, "reload")
        if not account.settle(self.pid, timeout=timeout):
            raise Failure(f"reload takes more than {timeout} s")
        return account.cpu_ns(self.pid) - before
