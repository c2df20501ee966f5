# SPDX-License-Identifier: GPL-2.0-only
"""What listens while a scenario is measured: nothing, a reference listener, or (daemon.py) the daemon."""

import os
import signal

from . import accounting, attr
from .process import Failure, Program


class NoListener:
    """No listener. A context, as all of them."""

    listens = False
    tags = False  # whether tasks get their classes by themselves
    probed = False  # whether it tags anything that a probe can wait for
    classes = attr.CLASSES  # {name: Attr} that it gives, or that is given in its place

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def wait_until_idle(self):
        """Waits until it has caught up with all events."""

    def pids(self):
        """Of its processes."""
        return []

    def usage(self):
        return accounting.Usage(0, 0)

    def counts(self):
        """Its own counts of forks, execs, renames and others."""
        return {}

    def cpu_seconds(self):
        """So far, or None."""
        return None


class Group(NoListener):
    """Whatever a command has started. Whether it tags is not known."""

    listens = True

    def __init__(self, pgid):
        self.pgid = pgid

    def pids(self):
        return list(accounting.group(self.pgid))

    def usage(self):
        return accounting.Usage(int(self.cpu_seconds() * 1e9), 0)

    def cpu_seconds(self):
        return accounting.group_cpu_seconds(self.pgid)


class Listening(NoListener):
    """A program that is a proc connector's listener; self.program, once it has been entered."""

    listens = True
    program = None

    @property
    def pid(self):
        return self.program.pid

    def __exit__(self, *_):
        self.program.end()

    def wait_until_idle(self):
        if not accounting.wait_until_idle(self.pid):
            raise Failure(f"{self.program.name}: does not catch up")

    def pids(self):
        return accounting.processes(self.pid)

    def usage(self):
        return accounting.usage(self.pid)

    def cpu_seconds(self):
        return accounting.cpu_ns(self.pid) / 1e9


class Listener(Listening):
    """The minimum in the daemon's place: it only listens."""

    def __init__(self, tools):
        self.args = [tools / "bench-listener", "bare"]

    def __enter__(self):
        self.program = Program(self.args)
        self.program.wait_until_ready()
        return self

    def counts(self):
        os.kill(self.pid, signal.SIGUSR1)
        return self.program.read_json()
