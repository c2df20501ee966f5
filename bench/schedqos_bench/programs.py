# SPDX-License-Identifier: GPL-2.0-only
"""The programs of a scenario: what is measured, and what runs beside it all the time."""

import contextlib
import os
import select
import signal
import subprocess
import time

from . import accounting
from .process import LOAD_STOP_TIMEOUT, Failure, Program, end_group

# Beyond the duration that a measuring program is given: a starved one is slow to start and to finish.
GRACE = 120


def _start(argv, output, **options):
    return Program(argv, whole_group=True, stdin=subprocess.DEVNULL, stdout=output,
                   stderr=subprocess.STDOUT, stop_timeout=LOAD_STOP_TIMEOUT, **options)


class Background:
    """
    A command that runs from entering the context to leaving it, its process group included: started again whenever
    it ends by itself. before_restart() is called each time before that.
    """

    def __init__(self, argv, output, before_restart=None, **options):
        self.argv, self.options, self.before_restart = argv, options, before_restart
        self.output = open(output, "w", encoding="utf-8")
        self.program = None
        self.restarts = 0
        self.earlier_cpu = 0.0  # of those that have ended
        self.lasted = []  # seconds, of each that has ended by itself

    def __enter__(self):
        self._start()
        return self

    def _start(self):
        self.began = time.monotonic()
        self.program = _start(self.argv, self.output, **self.options)

    def __exit__(self, *_):
        try:
            if self.program:
                end_group(self.program)
        finally:
            self.output.close()

    @property
    def pid(self):
        return self.program.pid

    def cpu_seconds(self):
        """The CPU time that it, its threads and all that it has started got so far."""
        return self.earlier_cpu + accounting.group_cpu_seconds(self.pid)

    @contextlib.contextmanager
    def frozen(self):
        """A context in which all of it is stopped, so that no short program ends, and counts twice, while it is read."""
        os.killpg(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self.pid, signal.SIGCONT)

    def ended(self):
        """Called when the process has ended: accounts for it and starts the next. A command that fails is a Failure."""
        self.lasted.append(time.monotonic() - self.began)
        used, status = accounting.wait(self.program.process)
        self.earlier_cpu += used
        if status:
            raise Failure(f"{self.program.name} fails (status {status}): see {self.output.name}")
        self.program.end()
        self.program = None
        if self.before_restart:
            self.before_restart()
        self.restarts += 1
        self._start()


def measure(argv, output, seconds, beside=(), **options):
    """
    Runs the command that measures to its end, keeping those beside it running. Returns its output, which is kept in
    the file as well.
    """
    with open(output, "w", encoding="utf-8") as file, _start(argv, file, **options) as program:
        status = _wait(program, seconds + GRACE, beside)
    text = _read(output)
    if status:
        raise Failure(f"{program.name} fails (status {status}):\n{text[-2000:]}")
    return text


def measure_together(commands, seconds, beside=()):
    """The same with several [(command, output)] at a time."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(_start(argv, stack.enter_context(open(output, "w", encoding="utf-8"))))
                   for argv, output in commands]
        statuses = [_wait(program, seconds + GRACE, beside) for program in running]
    for program, status, (_, output) in zip(running, statuses, commands):
        if status:
            raise Failure(f"{program.name} fails (status {status}):\n{_read(output)[-2000:]}")
    return [_read(output) for _, output in commands]


def _read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _attend(descriptors, timeout):
    """Sleeps until one of the processes ends, or so long. Returns those that have ended."""
    ready = select.select(list(descriptors), [], [], max(0, timeout))[0]
    return [descriptors[descriptor] for descriptor in ready]


def _until(end, programs):
    """Yields each program that ends, until that time: without waking up in between."""
    while time.monotonic() < end:
        descriptors = {os.pidfd_open(each.pid): each for each in programs}
        try:
            ended = _attend(descriptors, end - time.monotonic())
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        yield from ended


def _wait(program, timeout, beside):
    for ended in _until(time.monotonic() + timeout, (program, *beside)):
        if ended is program:
            return program.process.wait()
        ended.ended()
    raise Failure(f"{program.name}: has not ended after {timeout} s")


def let_run(seconds, beside):
    """Time for the load to build up."""
    for ended in _until(time.monotonic() + seconds, beside):
        ended.ended()
