# SPDX-License-Identifier: GPL-2.0-only
"""Programs that we start, and that are ended by pid whatever happens to us."""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import time

from . import attr

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)

# The daemon puts every task of the machine back; killed before, it could not.
STOP_TIMEOUT = 300

# A load has nothing to put back, and Ctrl-C should not have to wait for one that hangs.
LOAD_STOP_TIMEOUT = 5


class Failure(Exception):
    """Something that a bench needs has failed; the text is for people."""


def _prepare(start_attr, death_signal):
    parent = os.getpid()

    def prepare():
        os.setpgid(0, 0)  # Ctrl-C is for us alone: we end them in order
        _libc.prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)  # killed before that, and so nobody would end us
        if start_attr is not None:
            attr.put(0, start_attr)
    return prepare


class Program:
    """
    A running program; a context that ends it: by the end of its input (ends_at_eof), else by SIGTERM; with whole_group
    also what it has started.
    """

    def __init__(self, args, start_attr=None, death_signal=signal.SIGKILL, ends_at_eof=False,
                 whole_group=False, stop_timeout=STOP_TIMEOUT, **options):
        options.setdefault("stdin", subprocess.PIPE)
        options.setdefault("stdout", subprocess.PIPE)
        self.ends_at_eof, self.whole_group, self.stop_timeout = ends_at_eof, whole_group, stop_timeout
        self.name = os.path.basename(str(args[0]))
        self.process = subprocess.Popen([str(arg) for arg in args],
                                        preexec_fn=_prepare(start_attr, death_signal),
                                        text=True, bufsize=1, **options)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read_line(self, timeout=60):
        """A line of its output; a program that ends or is silent is a Failure."""
        # One line is asked for at a time, so nothing is left behind in Python's buffer.
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            raise Failure(f"{self.name}: silent for {timeout} s")
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"{self.name}: ended (status {self.process.wait()})")
        return line

    def wait_until_ready(self):
        """It says so by its first line; one that does not is ended, and a Failure."""
        try:
            self.read_line()
        except BaseException:
            self.end()
            raise

    def read_json(self, timeout=60):
        return json.loads(self.read_line(timeout))

    def end(self):
        """Ends it by the end of its input, or by SIGTERM; by SIGKILL if it does not listen to that."""
        try:
            if self.process.stdin:
                self.process.stdin.close()
            if self.process.poll() is None and not self.ends_at_eof:
                self.process.terminate()
            self.process.wait(self.stop_timeout)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self.process.kill()
        finally:
            if self.whole_group:
                try:
                    os.killpg(self.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()
            if self.process.stdout:
                self.process.stdout.close()


def adopt_orphans():
    """From now on, processes that our programs leave behind become our children, so that they can be waited for."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def until(condition, timeout, what, interval=0.005):
    """Waits until the condition holds; a Failure if that takes too long."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {timeout} s")
        time.sleep(interval)


def _group_is_gone(program):
    """Reaps those that have ended."""
    program.process.poll()
    try:
        while os.waitpid(-program.pid, os.WNOHANG)[0]:
            pass
        return False
    except ChildProcessError:
        return True


def end_group(program, number=signal.SIGKILL):
    """Ends all that a program has started, provided that adopt_orphans() was called. Returns when none is left."""
    try:
        os.killpg(program.pid, number)
        until(lambda: _group_is_gone(program), STOP_TIMEOUT, f"{program.name} and what it has started end")
    except ProcessLookupError:
        pass
    finally:
        program.end()


def children():
    """The pids of our children, those included that we have adopted."""
    found = set()
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:
            found.update(map(int, file.read().split()))
    return found


def _is_ended(child):
    """Reaps it, too."""
    try:
        return os.waitpid(child, os.WNOHANG)[0] == child
    except ChildProcessError:
        return True


def end_orphans(known):
    """Ends all children but the known ones: those that left a program's process group, as daemons do, and outlived
    it."""
    def left():
        return {child for child in children() - known if not _is_ended(child)}

    for number, timeout in (signal.SIGTERM, LOAD_STOP_TIMEOUT), (signal.SIGKILL, STOP_TIMEOUT):
        def none_left(number=number):
            orphans = left()
            for orphan in orphans:
                os.kill(orphan, number)
            return not orphans
        try:
            until(none_left, timeout, "what a program has left behind ends")
            return
        except Failure:
            if number == signal.SIGKILL:
                raise


@contextlib.contextmanager
def nothing_left():
    """
    A context after which nothing runs of what was started in it. What interrupts the start of a program leaves that to
    nobody else.
    """
    adopt_orphans()
    known = children()
    try:
        yield
    finally:
        end_orphans(known)


def stop_on_signals():
    """Ctrl-C, SIGTERM and SIGHUP unwind once, so that everything is put back; a second one does not disturb that."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(number, _):
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in numbers:
        signal.signal(number, stop)
