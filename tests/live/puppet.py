# SPDX-License-Identifier: GPL-2.0-only
"""
A process that carries out commands. Each line of its input is a JSON list [THREAD, VERB, ARGUMENT ...]; the answer is a
line of JSON, or {"error": ...}. Thread 0 is the one that the process began with. The process loads as little as
possible, and makes no thread without a command.
"""

import _thread
import contextlib
import ctypes
import fcntl
import json
import os
import signal
import sys
import termios

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_NAME = 15
SYS_EXIT = 60 if os.uname().machine == "x86_64" else 93

workers = []
terminals = []


class Worker:
    """A thread that waits for orders."""

    def __init__(self):
        self.order = _thread.allocate_lock()
        self.done = _thread.allocate_lock()
        self.order.acquire()
        self.done.acquire()
        self.tid = self.call = self.result = None

    def run(self):
        self.tid = _thread.get_native_id()
        self.done.release()
        while True:
            self.order.acquire()
            self.result = attempt(self.call)
            self.done.release()

    def do(self, call):
        self.call = call
        self.order.release()
        self.done.acquire()
        return self.result


def attempt(call):
    try:
        return call()
    except OSError as error:
        return {"error": str(error)}


def name(text, how="prctl"):
    """Gives this thread a name, by prctl or by its file in /proc."""
    raw = text.encode("latin-1")
    if how == "prctl":
        LIBC.prctl(PR_SET_NAME, ctypes.c_char_p(raw), 0, 0, 0)
    else:
        with open("/proc/self/task/%d/comm" % _thread.get_native_id(), "wb", buffering=0) as file:
            file.write(raw)
    return _thread.get_native_id()


def program_name(text):
    """Overwrites the first argument, as programs do that show there what they are at."""
    with open("/proc/self/stat", encoding="latin-1") as file:
        start = int(file.read().rpartition(")")[2].split()[45])  # arg_start, see proc(5)
    ctypes.memmove(start, text.encode("latin-1") + b"\0", len(text) + 1)
    return text


def thread(text=None, how="prctl"):
    """Makes a thread from this one. Returns its number and its tid."""
    worker = Worker()
    workers.append(worker)
    _thread.start_new_thread(worker.run, ())
    worker.done.acquire()
    if text is not None:
        worker.do(lambda: name(text, how))
    return [len(workers) - 1, worker.tid]


def pause():
    os.closerange(0, 2)
    while True:
        signal.pause()


def fork(count=1):
    """Makes idle children. Returns their pids."""
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            pause()
        children.append(child)
    return children


def spawn(argv, path=None):
    """Makes a child that calls exec. Returns its pid."""
    return os.posix_spawn(path or argv[0], argv, os.environ)


def in_terminal(argv, path):
    """
    Makes a child that leads a session with a terminal of its own, as a terminal program starts a shell. Returns once
    the child has called exec.
    """
    master, slave = os.openpty()
    done, doing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        os.execv(path, argv)
    os.close(slave)
    os.close(doing)
    os.read(done, 1)
    os.close(done)
    terminals.append(master)
    return pid


def run(argv, path=None):
    """Turns this process into another program, from whichever thread this is."""
    sys.stdout.write("0\n")
    sys.stdout.flush()
    os.execv(path or argv[0], argv)


def leave():
    """Ends the first thread while the others go on. A new thread takes the orders from now on."""
    _thread.start_new_thread(serve, ())
    LIBC.syscall(SYS_EXIT, 0)


def children_of_many(count):
    """Makes short-lived children as fast as possible."""
    for _ in range(count):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    return count


def rename_often(count):
    """Sets two names in turn as fast as possible."""
    for i in range(count):
        LIBC.prctl(PR_SET_NAME, b"odd" if i % 2 else b"even", 0, 0, 0)
    return count


def threads_often(count):
    """Makes short-lived threads, one after another."""
    gone = _thread.allocate_lock()
    for _ in range(count):
        gone.acquire()
        _thread.start_new_thread(gone.release, ())
    return count


def become(user):
    """Gives up root for good."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    return user


def flood(ports, count):
    """Sends false reports of renames, `count` to each of these proc connector ports. Returns how many were accepted."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import proc_events
    message, sent = proc_events.rename(1, b"other"), 0
    with proc_events.open_socket() as netlink:
        for port in ports * count:
            with contextlib.suppress(ConnectionRefusedError):
                sent += netlink.sendto(message, (port, 0)) > 0
    return sent


def nice(value):
    os.setpriority(os.PRIO_PROCESS, _thread.get_native_id(), value)
    return value


VERBS = {function.__name__: function for function in (
    name, program_name, thread, fork, spawn, in_terminal, run, leave, children_of_many, rename_often, threads_often,
    become, flood, nice)}


def obey(line):
    number, verb, *args = json.loads(line)

    def call():
        return VERBS[verb](*args)

    return attempt(call) if number == 0 else workers[number].do(call)


def serve():
    for line in iter(sys.stdin.readline, ""):
        answer = obey(line)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    os._exit(0)


workers.append(None)
sys.stdout.write("ready\n")
sys.stdout.flush()
serve()
