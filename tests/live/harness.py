# SPDX-License-Identifier: GPL-2.0-only
"""What the live tests are made of: real attributes, real daemons, real programs, and waiting for a condition."""

import contextlib
import ctypes
import errno
import functools
import json
import os
import platform
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SCHEDQOS = os.path.abspath(os.environ.get("SCHEDQOS", os.path.join(TOP, "build/schedqos")))
PYTHON = os.path.realpath(sys.executable)

# How long a condition may take to come true. It is no measure of speed: a loaded machine is slow.
PATIENCE = float(os.environ.get("PATIENCE", "30"))
# How much of a storm of forks there is to be: less than all of it where each takes milliseconds.
STORM = float(os.environ.get("STORM", "1"))

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 15, 36

NORMAL, FIFO, RR, BATCH, IDLE, DEADLINE = 0, 1, 2, 3, 5, 6
FLAG_RESET_ON_FORK, FLAG_UTIL_MAX = 0x01, 0x40
MS = 1000000

# The base slice of the sched profile qos.
QOS_BASE_SLICE = 16 * MS

_SYS_SETATTR, _SYS_GETATTR = (314, 315) if platform.machine() == "x86_64" else (274, 275)
_ATTR = struct.Struct("=IIQiIQQQII")


class Attr(NamedTuple):
    """A task's scheduling attributes, as sched_getattr has them."""

    policy: int = NORMAL
    nice: int = 0
    slice: int = 0  # sched_runtime: of a fair task without a custom slice, the base slice
    priority: int = 0
    flags: int = 0
    deadline: int = 0
    period: int = 0
    util_min: int = 0
    util_max: int = 0


def get_attr(tid=0):
    """The attributes of a thread; None when it is gone."""
    buf = ctypes.create_string_buffer(_ATTR.size)
    if LIBC.syscall(_SYS_GETATTR, tid, buf, _ATTR.size, 0) < 0:
        if ctypes.get_errno() == errno.ESRCH:
            return None
        raise OSError(ctypes.get_errno(), "sched_getattr of %d" % tid)
    _, policy, flags, nice, priority, runtime, deadline, period, low, high = _ATTR.unpack(buf.raw)
    return Attr(policy, nice, runtime, priority, flags, deadline, period, low, high)


def set_attr(tid=0, policy=NORMAL, nice=0, slice=0, priority=0, flags=0, deadline=0, period=0,
             util_max=0):
    """What sched_setattr does, for any thread."""
    buf = _ATTR.pack(_ATTR.size, policy, flags, nice, priority, slice, deadline, period, 0, util_max)
    if LIBC.syscall(_SYS_SETATTR, tid, buf, 0) < 0:
        raise OSError(ctypes.get_errno(), "sched_setattr of %d" % tid)


def set_all(tid=0, policy=NORMAL, nice=0, slice=0):
    """These, and all others as if nobody had chosen them: clamps included, which set_attr leaves as they are."""
    if has_clamp():
        set_attr(tid, policy, nice, slice, flags=FLAG_UTIL_MAX, util_max=0xffffffff)
    else:
        set_attr(tid, policy, nice, slice)


def make_us_pristine():
    """However the tests were started, and whatever a daemon made of them."""
    for tid in tids(os.getpid()):
        with contextlib.suppress(ProcessLookupError):
            set_all(tid)


def _in_thread(function):
    """The function's result, got in a thread of its own, whose attributes are nobody's."""
    result = []
    thread = threading.Thread(target=lambda: result.append(function()))
    thread.start()
    thread.join()
    return result[0]


@functools.lru_cache(maxsize=None)
def has_slice():
    """Custom slices came with Linux 6.12."""
    def probe():
        set_attr(slice=7123456)
        return get_attr().slice == 7123456

    return _in_thread(probe)


@functools.lru_cache(maxsize=None)
def has_clamp():
    """Util clamps need CONFIG_UCLAMP_TASK."""
    def probe():
        try:
            set_attr(flags=FLAG_UTIL_MAX, util_max=512)
        except OSError:
            return False
        return True

    return _in_thread(probe)


@functools.lru_cache(maxsize=None)
def pristine():
    """A task about which nobody chose anything."""
    def probe():
        set_all()
        return get_attr()

    return _in_thread(probe)


def fair(policy=NORMAL, nice=0, slice=0, util_max=1024, flags=0):
    """What a fair task with these attributes shows on this kernel."""
    return pristine()._replace(
        policy=policy, nice=nice, flags=flags,
        slice=slice if slice and has_slice() else pristine().slice,
        util_max=util_max if has_clamp() else pristine().util_max)


def classes():
    """The announcement's mapping, and the class of the harness's own sync."""
    return {
        "QOS_USER_INTERACTIVE": fair(NORMAL, -4, 8 * MS, 1024),
        "QOS_USER_INITIATED": fair(NORMAL, -2, 12 * MS, 768),
        "QOS_UTILITY": fair(BATCH, 2, 16 * MS, 512),
        "QOS_BACKGROUND": fair(BATCH, 4, 20 * MS, 256),
        "QOS_DEFAULT": fair(BATCH, 2, 16 * MS, 512),
        "pristine": pristine(),
    }


def storm_of(count):
    """So many forks or programs, on a machine of usual speed."""
    return max(1, round(count * STORM))


def wait_for(condition, what, deadline=None):
    """Waits until the condition is true, and returns what it returned."""
    end = time.monotonic() + (deadline or PATIENCE)
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError("never happened: " + (what() if callable(what) else what))
        time.sleep(0.002)


def start_time(tid):
    """Clock ticks since boot; None when the thread is gone."""
    try:
        with open("/proc/%d/stat" % tid, "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[19])
    except (FileNotFoundError, ProcessLookupError):
        return None


def comm(tid):
    try:
        with open("/proc/%d/comm" % tid, "rb") as file:
            return file.read()[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return b"(gone)"


def tids(pid):
    """The threads of a process."""
    try:
        return [int(tid) for tid in os.listdir("/proc/%d/task" % pid)]
    except (FileNotFoundError, ProcessLookupError):
        return []


def snapshot():
    """The attributes of every thread of the machine, by (tid, start)."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for tid in tids(int(pid)):
            start, attr = start_time(tid), get_attr(tid)
            if start is not None and attr is not None and start == start_time(tid):
                found[tid, start] = attr
    return found


def base_slices():
    """
    What a task without a custom slice may show: the one that was in force when it ran last. The kernel's own is twice
    as long with two CPUs as with one, which is all there is when it makes its first threads, thrice with four, and four
    times with eight or more.
    """
    return {pristine().slice, QOS_BASE_SLICE, pristine().slice // min(4, (os.cpu_count() or 1).bit_length())}


def differences(before, after, but=()):
    """The threads that lived through and do not carry what they did, in words."""
    def plain(attr):
        return attr._replace(slice=0) if attr.slice in base_slices() else attr

    return ["%d %r had %s, has %s" % (tid, comm(tid), attr, after[tid, start])
            for (tid, start), attr in before.items()
            if tid not in but and plain(after.get((tid, start), attr)) != plain(attr)]


def already_tagged(before):
    """How many threads carry what we would give them, though no daemon runs: somebody else's daemon was killed."""
    ours = set(classes().values()) - {pristine()}
    return sum(attr in ours for attr in before.values())


def leftovers(before, after, but=()):
    """Threads born since `before` that carry what only a scheduler's helper gives them, in words."""
    def is_ours(attr):
        if attr in there:
            return False
        return attr in ours or (attr.policy in (NORMAL, BATCH, IDLE) and attr.slice not in base_slices())

    ours = set(classes().values()) - {pristine()}
    there = set(before.values())
    old = set(before)
    return ["%d %r carries %s" % (tid, comm(tid), attr) for (tid, start), attr in after.items()
            if (tid, start) not in old and tid not in but and is_ours(attr)]


def proc_connector_fault():
    """Why the proc connector does not work here, or None: found out without the daemon."""
    with contextlib.closing(socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 11)) as netlink:
        netlink.settimeout(5)
        try:
            netlink.bind((0, 1))
            netlink.send(struct.pack("=IHHIIIIIIHHI", 40, 3, 0, 0, 0, 1, 1, 0, 0, 4, 0, 1))
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
            end = time.monotonic() + 5
            while time.monotonic() < end:
                message = netlink.recv(4096)
                # nlmsghdr and cn_msg are 36 bytes; what, cpu, timestamp 16; then a fork's parent and child.
                if len(message) >= 68 and struct.unpack_from("=I", message, 36)[0] == 1 and \
                        struct.unpack_from("=I", message, 60)[0] == child:
                    return None
        except OSError as error:
            return str(error)
    return "no event within 5 s"


def why_not():
    """What keeps all live tests from running here, or None."""
    if os.geteuid() != 0:
        return "not root"
    if not os.access(SCHEDQOS, os.X_OK):
        return "no program %s" % SCHEDQOS
    try:
        set_attr()
    except OSError as error:
        return "cannot set scheduling attributes: %s" % error
    fault = proc_connector_fault()
    if fault:
        return "the proc connector does not work here: %s" % fault
    running = schedqos("status")
    if running.returncode == 0:
        return "a schedqos daemon runs already:\n" + running.stdout
    return None


def environment():
    env = {key: value for key, value in os.environ.items()
           if key not in ("NOTIFY_SOCKET", "JOURNAL_STREAM", "WATCHDOG_USEC", "WATCHDOG_PID")}
    env.update(LC_ALL="C", ASAN_OPTIONS="exitcode=99:detect_leaks=1", UBSAN_OPTIONS="print_stacktrace=1")
    return env


LOG_FILES = ("/var/log/schedqosd.log", "/var/log/schedqosd.log.1")

SANITIZER_WORDS = ("AddressSanitizer", "LeakSanitizer", "runtime error:")


def schedqos(*args, prefix=(), **options):
    """Runs the program to its end, with the sanitizers' findings as failures."""
    process = subprocess.Popen([*prefix, SCHEDQOS, *args], env=environment(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               encoding="utf-8", errors="backslashreplace", **options)
    try:
        output = process.communicate(timeout=PATIENCE * 2)
    except subprocess.TimeoutExpired:
        # Gently: it may be a daemon, which has tasks to put back.
        process.terminate()
        output = process.communicate()
        raise AssertionError("did not end: %s\n%s" % (process.args, output[1])) from None
    result = subprocess.CompletedProcess(process.args, process.returncode, *output)
    for word in SANITIZER_WORDS:
        if word in result.stderr:
            raise AssertionError(result.stderr)
    return result


@functools.lru_cache(maxsize=None)
def sleep_program():
    """A sleep that does not mind under which name it runs (coreutils built as one program do)."""
    for path in ("/bin/sleep", "/usr/bin/gnusleep", "/bin/busybox"):
        if os.path.exists(path):
            path = os.path.realpath(path)
            if subprocess.run(["another-name", "0"], executable=path, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return path
    raise unittest.SkipTest("no sleep that runs under any name")


class Program:
    """A process of the test's, ended with the test."""

    def __init__(self, argv, executable=None, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.DEVNULL)
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
        """All processes below this one."""
        return descendants(self.pid)


def descendants(pid):
    found = []
    for tid in tids(pid):
        try:
            with open("/proc/%d/task/%d/children" % (pid, tid), encoding="ascii") as children:
                for child in map(int, children.read().split()):
                    found += [child, *descendants(child)]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def end_all():
    """Ends what a test has left behind: whatever is below this process, orphans included."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    while True:
        living = descendants(os.getpid())
        for pid in living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not living:
            return
        # One by one, with a look at all others after each, a thousand take minutes on a slow machine.
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


class Puppet(Program):
    """A Python process under a name of ours that does what it is told, in the thread it is told to. See puppet.py."""

    def __init__(self, argv, executable, **options):
        super().__init__([*argv[:1], "-IS", os.path.join(HERE, "puppet.py"), *argv[1:]], executable,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        assert self.popen.stdout.readline() == b"ready\n"

    def tell(self, thread, verb, *args):
        """Has the thread (0: the first) do something; returns its answer."""
        self.popen.stdin.write(json.dumps([thread, verb, *args]).encode() + b"\n")
        self.popen.stdin.flush()
        answer = json.loads(self.popen.stdout.readline())
        if isinstance(answer, dict):
            raise OSError(answer["error"])
        return answer


# The lowest layer: a program whose tag shows that all events before its start have been handled. The machine's own
# knobs stay as they are.
SYNC_NAME = "schedqos-sync"
SYNC_LAYER = {"schedqos": {"sched_profile": None, "autogroup": "keep"},
              SYNC_NAME: {"qos": "QOS_SYNC"},
              "QOS_SYNC": {"sched_policy": "SCHED_NORMAL", "sched_nice": 1, "sched_runtime": 3333333}}


class Daemon:
    """A daemon in the foreground on configurations of the test's own, never on the machine's."""

    def __init__(self, folder, config=None, layers=None, args=(), prefix=(), environ=None):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.config = os.path.join(self.folder, "schedqos.json")
        self.layers = os.path.join(self.folder, "layers")
        self.stderr = os.path.join(self.folder, "stderr")
        self.args, self.prefix, self.environ = args, prefix, environ or {}
        self.popen = self.before = None
        self.changed = set()  # threads that the test itself changes
        self.expect_status = 0
        self.has_own_mounts = False
        self.write(self.layers + "/app_configs/00-sync.json", SYNC_LAYER)
        for name, content in (layers or {}).items():
            self.write(os.path.join(self.layers, name), content)
        self.configure({} if config is None else config)

    @staticmethod
    def write(path, content):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(path, mode) as file:
            file.write(content if isinstance(content, (str, bytes)) else json.dumps(content, indent=1))
        os.chmod(path, 0o644)

    def configure(self, config):
        self.write(self.config, config)

    def options(self):
        return ["--config", self.config, "--configs-path", self.layers, *self.args]

    def start(self):
        make_us_pristine()
        self.before = snapshot()
        with open(self.stderr, "ab") as stderr:
            self.popen = subprocess.Popen([*self.prefix, SCHEDQOS, "start", *self.options()],
                                          stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr,
                                          env=dict(environment(), **self.environ))
        wait_for(self.is_ready, lambda: "readiness of the daemon\n" + self.log())
        return self

    def is_ready(self):
        if self.popen.poll() is not None:
            raise AssertionError("the daemon ended with %d\n%s" % (self.popen.returncode, self.log()))
        return self.ask("status").returncode == 0

    def ask(self, *args):
        """What a client gets that sees the daemon's files."""
        return schedqos(*args, prefix=["nsenter", "-m", "-t", str(self.pid), "--"] if self.has_own_mounts else [])

    @property
    def pid(self):
        return self.popen.pid

    def running(self):
        return self.popen is not None and self.popen.poll() is None

    def log(self):
        with open(self.stderr, encoding="utf-8", errors="backslashreplace") as file:
            return file.read()

    def status(self):
        result = self.ask("status", "--json")
        if result.returncode != 0:
            raise AssertionError("status: " + result.stderr)
        return json.loads(result.stdout)

    def reload(self, config=None):
        """By the verb; returns the finished process."""
        if config is not None:
            self.configure(config)
        return self.ask("reload")

    def sockets(self):
        """Port and drops, as the kernel counts them, of each of the daemon's sockets at the proc connector."""
        inodes = set()
        for entry in os.scandir("/proc/%d/fd" % self.pid):
            target = os.readlink(entry.path)
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        with open("/proc/net/netlink", encoding="ascii") as table:
            rows = [line.split() for line in table.readlines()[1:]]
        return [(int(row[2]), int(row[8])) for row in rows if row[1] == "11" and row[9] in inodes]

    def sync(self):
        """Returns when every event up to now has been handled."""
        marker = Program([SYNC_NAME, "1000"], sleep_program())
        want = fair(NORMAL, 1, 3333333)
        try:
            wait_for(lambda: marker.attr() == want or not self.running(), "sync with the daemon")
        finally:
            marker.end()
        if not self.running():
            raise AssertionError("the daemon has ended with %d:\n%s" % (self.popen.returncode, self.log()))

    def stop(self, how=signal.SIGTERM):
        """Ends it, by a signal or by the verb (None), and checks that it has left no trace."""
        if not self.running():
            return
        if how is None:
            result = self.ask("stop")
            if result.returncode != 0:
                raise AssertionError("stop: " + result.stderr)
        else:
            self.popen.send_signal(how)
        self.wait()
        self.check_undone()

    def wait(self):
        try:
            status = self.popen.wait(PATIENCE * 2)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            raise AssertionError("the daemon does not stop\n" + self.log()) from None
        log = self.log()
        if status != self.expect_status or any(word in log for word in SANITIZER_WORDS):
            raise AssertionError("the daemon ended with %d\n%s" % (status, log))

    def check_undone(self):
        after = snapshot()
        wrong = differences(self.before, after, self.changed) + leftovers(self.before, after, self.changed)
        if wrong:
            more = ["... and %d more" % (len(wrong) - 8)] if len(wrong) > 8 else []
            raise AssertionError("after the stop:\n" + "\n".join(wrong[:8] + more))

    def discard(self):
        """However a test ended: no daemon is left behind."""
        if self.running():
            self.popen.terminate()
            try:
                self.popen.wait(PATIENCE * 2)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()


class LiveTest(unittest.TestCase):
    """Programs under names, a daemon, and assertions on what a thread carries."""

    def setUp(self):
        end_all()
        make_us_pristine()
        self.folder = tempfile.mkdtemp(prefix="schedqos-live-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(end_all)
        self.save_logs()
        self.current = None

    def save_logs(self):
        """A daemon in the background writes a log: the machine's own are put back in its place."""
        for path in LOG_FILES:
            if os.path.exists(path):
                os.rename(path, path + ".saved")
                self.addCleanup(os.rename, path + ".saved", path)
            else:
                self.addCleanup(lambda path=path: os.path.exists(path) and os.unlink(path))

    def prepare(self, config=None, **options):
        """A daemon that is still to be started."""
        self.current = Daemon(self.folder, config, **options)
        self.addCleanup(self.current.discard)
        return self.current

    def daemon(self, config=None, **options):
        """Starts a daemon, which is stopped, and its traces looked for, when the test ends well."""
        return self.prepare(config, **options).start()

    def tearDown(self):
        # The programs of the test still live: every test is one of the undo, too.
        if self.current:
            self.current.stop()

    def path(self, name):
        return os.path.join(self.folder, name)

    def alias(self, name, target=None):
        """A symbolic link of that name to a program."""
        path = self.path(name)
        if not os.path.lexists(path):
            os.symlink(target or sleep_program(), path)
        return path

    def copy(self, name, target=None):
        """A program of that name."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(target or sleep_program(), path)
        return path

    def run_program(self, argv, executable=None, **options):
        program = Program(argv, executable, **options)
        self.addCleanup(program.end)
        return program

    def sleeper(self, name, *args, prefix=(), **options):
        """A program that calls itself by that name, and just is there; behind a prefix such as nice -n 5."""
        if prefix:
            return self.run_program([*prefix, self.alias(name), "1000", *args], **options)
        options.setdefault("executable", sleep_program())
        return self.run_program([name, "1000", *args], **options)

    def puppet(self, name="puppet", *args, **options):
        # By its path: a Python called after a program in PATH would look for its library beside that.
        path = self.alias(name, PYTHON)
        puppet = Puppet([path, *args], path, **options)
        self.addCleanup(puppet.end)
        return puppet

    def assert_carries(self, task, want, message=""):
        """Waits until the task (a program or a tid) carries a class, by its name, or these attributes."""
        tid = task.pid if isinstance(task, Program) else task
        attr = classes()[want] if isinstance(want, str) else want
        wait_for(lambda: get_attr(tid) == attr,
                 lambda: "%d %r %s: carries %s, not %s: %s"
                 % (tid, comm(tid), message, get_attr(tid), want, attr))

    def assert_keeps(self, task, want, message=""):
        """The task carries this, and still does when all events up to now have been handled."""
        tid = task.pid if isinstance(task, Program) else task
        attr = classes()[want] if isinstance(want, str) else want
        self.current.sync()
        self.assertEqual(get_attr(tid), attr, "%d %r %s" % (tid, comm(tid), message))


def main():
    """For a test file that is run by itself."""
    sys.exit(subprocess.call([sys.executable, os.path.join(HERE, "run.py"),
                              *(sys.argv[1:] or [os.path.basename(sys.argv[0])])]))
