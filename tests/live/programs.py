# SPDX-License-Identifier: GPL-2.0-only
"""Programs that tests run: idle ones, and puppets that obey commands. Also ends all of them."""

import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from attributes import LIBC, get_attr
from tasks import descendants

# The Python of the distribution, which any user can run.
PYTHON = os.path.realpath(shutil.which("python3", path="/usr/bin") or sys.executable)
PUPPET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "puppet.py")
PR_SET_CHILD_SUBREAPER = 36


@functools.lru_cache(maxsize=None)
def sleep_program():
    """
    Returns a sleep program that runs under any name and from any path. A coreutils built as a single program does not:
    some versions go by the first argument, and that of Ubuntu 26.04 by the path that the kernel was given.
    """
    for path in ("/bin/sleep", "/usr/bin/gnusleep", "/bin/busybox"):
        if os.path.exists(path):
            path = os.path.realpath(path)
            with tempfile.TemporaryDirectory() as folder:
                other = shutil.copy(path, os.path.join(folder, "another-name"))
                if subprocess.run([other, "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  check=False).returncode == 0:
                    return path
    raise unittest.SkipTest("no sleep that runs under any name")


class Program:
    """A process of the test, ended with the test."""

    def __init__(self, argv, executable=None, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.DEVNULL)
        if not argv[0]:
            # Without a function between fork and exec, Python 3.13 uses posix_spawn, which refuses an empty name.
            options.setdefault("preexec_fn", lambda: None)
        self.popen = subprocess.Popen(argv, executable=executable, **options)
        self.pid = self.popen.pid

    def attr(self):
        return get_attr(self.pid)

    def end(self):
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        for stream in (self.popen.stdin, self.popen.stdout):
            if stream:
                stream.close()

    def descendants(self):
        return descendants(self.pid)


class Puppet(Program):
    """A Python process under a name of our choice, which carries out commands in any of its threads. See puppet.py."""

    def __init__(self, argv, executable, **options):
        # Since 3.12, Python warns of forks in a process with threads, which puppets make on purpose.
        super().__init__([*argv[:1], "-ISWignore", PUPPET, *argv[1:]], executable,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        assert self.popen.stdout.readline() == b"ready\n"

    def begin(self, thread, verb, *args):
        """Has the thread (0: the first) do something that does not end, without waiting for an answer."""
        self.popen.stdin.write(json.dumps([thread, verb, *args]).encode() + b"\n")
        self.popen.stdin.flush()

    def tell(self, thread, verb, *args):
        """Has the thread do something; returns its answer."""
        self.begin(thread, verb, *args)
        answer = json.loads(self.popen.stdout.readline())
        if isinstance(answer, dict):
            raise OSError(answer["error"])
        return answer


class Stage:
    """Runs programs under names of the test. A mixin for classes with a folder and addCleanup."""

    folder = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """Writes a file of the test that everybody may read, and the folders around it. Returns its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o644)
        return path

    def alias(self, name, target=None):
        """Makes a symbolic link of that name to a program. Returns its path."""
        path = self.path(name)
        if not os.path.lexists(path):
            os.symlink(target or sleep_program(), path)
        return path

    def copy(self, name, target=None):
        """Copies a program to that name. Returns its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(target or sleep_program(), path)
        return path

    def run_program(self, argv, executable=None, **options):
        program = Program(argv, executable, **options)
        self.addCleanup(program.end)
        return program

    def sleeper(self, name, *args, prefix=(), **options):
        """Starts an idle program of that name, behind a prefix such as nice -n 5 if one is given."""
        if prefix:
            return self.run_program([*prefix, self.alias(name), "1000", *args], **options)
        options.setdefault("executable", sleep_program())
        return self.run_program([name, "1000", *args], **options)

    def puppet(self, name="puppet", *args, **options):
        # Run it by its path: a Python named like a program in PATH would look for its library next to that program.
        path = self.alias(name, PYTHON)
        puppet = Puppet([path, *args], path, **options)
        self.addCleanup(puppet.end)
        return puppet


def end_all():
    """Ends all processes that a test has left behind: everything below this process, including orphans."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    while True:
        living = descendants(os.getpid())
        for pid in living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not living:
            return
        # Reap all that have ended before looking again: with a look after each, a thousand take minutes on a slow
        # machine.
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
