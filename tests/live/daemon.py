# SPDX-License-Identifier: GPL-2.0-only
"""Runs the program under test: as a verb to its end, or as a daemon with a configuration of the test."""

import json
import os
import signal
import subprocess
import tempfile
import time

from attributes import NORMAL, baseline, differences, fair, leftovers, make_us_pristine, snapshot
from programs import Program, sleep_program
from tasks import open_files, state
from waiting import PATIENCE, wait_for

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEDQOS = os.path.abspath(os.environ.get("SCHEDQOS", os.path.join(TOP, "build/schedqos")))
SANITIZER_WORDS = ("AddressSanitizer", "LeakSanitizer", "runtime error:")


def is_sanitized():
    with open(SCHEDQOS, "rb") as program:
        return b"__asan_init" in program.read()


def environment():
    env = {key: value for key, value in os.environ.items()
           if key not in ("NOTIFY_SOCKET", "JOURNAL_STREAM", "WATCHDOG_USEC", "WATCHDOG_PID")}
    env.update(LC_ALL="C", ASAN_OPTIONS="exitcode=99:detect_leaks=1", UBSAN_OPTIONS="print_stacktrace=1")
    return env


def without(*capabilities):
    """Returns the prefix that runs a program as root without these capabilities."""
    but = ",".join("-" + name for name in capabilities)
    return ["setpriv", "--bounding-set", but, "--inh-caps", but]


# Prefix for root as the unit runs it: without the capabilities that ignore the mode of files.
CONFINED = without("dac_override", "dac_read_search")


def shipped():
    """Returns the shipped configuration as the layers of a folder."""
    layers, top = {}, os.path.join(TOP, "configs")
    for folder, _, names in os.walk(top):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                layers[os.path.relpath(os.path.join(folder, name), top)] = file.read()
    return layers


def schedqos(*args, prefix=(), **options):
    """Runs the program to its end. Findings of the sanitizers are failures."""
    process = subprocess.Popen([*prefix, SCHEDQOS, *args], env=environment(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               encoding="utf-8", errors="backslashreplace", **options)
    try:
        output = process.communicate(timeout=PATIENCE * 2)
    except subprocess.TimeoutExpired:
        # End it by SIGTERM: it may be a daemon, which has tasks to put back.
        process.terminate()
        output = process.communicate()
        raise AssertionError("did not end: %s\n%s" % (process.args, output[1])) from None
    result = subprocess.CompletedProcess(process.args, process.returncode, *output)
    for word in SANITIZER_WORDS:
        if word in result.stderr:
            raise AssertionError(result.stderr)
    return result


# The lowest layer: a rule for a marker program. Once that is tagged, all events before its start have been handled. The
# machine's own knobs stay as they are.
SYNC_NAME = "schedqos-sync"
SYNC_LAYER = {"schedqos": {"sched_profile": None, "autogroup": "keep"},
              SYNC_NAME: {"qos": "QOS_SYNC"},
              "QOS_SYNC": {"sched_policy": "SCHED_NORMAL", "sched_nice": 1, "sched_runtime": 3333333}}


def lasting(traces):
    """
    The traces of a daemon that stay. Its helper ends by itself. The fork of somebody's program may outlast the end of the
    daemon, on a busy machine: `restore` puts the child back, or it ends soon.
    """
    wait_for(lambda: not any("schedqos-helper" in trace for trace in traces()), "the helper has ended")
    if traces():
        schedqos("restore")
    end = time.monotonic() + PATIENCE
    while traces() and time.monotonic() < end:
        time.sleep(0.1)
    return traces()


class Daemon:
    """A daemon in the foreground that reads only configurations of the test, never those of the machine."""

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

    def launch(self):
        """Starts the daemon without waiting until it is ready."""
        make_us_pristine()
        self.before = baseline()
        self.run()

    def run(self):
        """Starts the daemon where another one has run before, with the files that it has left."""
        with open(self.stderr, "ab") as stderr:
            self.popen = subprocess.Popen([*self.prefix, SCHEDQOS, "start", *self.options()],
                                          stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr,
                                          env=dict(environment(), **self.environ))

    def start(self):
        self.launch()
        return self.await_ready()

    def await_ready(self):
        wait_for(self.is_ready, lambda: "readiness of the daemon\n" + self.log())
        return self

    def is_ready(self):
        if self.popen.poll() is not None:
            raise AssertionError("the daemon ended with %d\n%s" % (self.popen.returncode, self.log()))
        return self.ask("status").returncode == 0

    def ask(self, *args):
        """Runs a verb as a client that sees the daemon's files. Returns the finished process."""
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
        """
        Reloads the daemon by the verb, after writing the configuration if one is given. Returns the finished process.
        """
        if config is not None:
            self.configure(config)
        return self.ask("reload")

    def sockets(self):
        """
        Returns the port and the number of drops, as the kernel counts them, of each of the daemon's proc connector
        sockets.
        """
        inodes = {file[8:-1] for file in open_files(self.pid).values() if file.startswith("socket:[")}
        with open("/proc/net/netlink", encoding="ascii") as table:
            rows = [line.split() for line in table.readlines()[1:]]
        return [(int(row[2]), int(row[8])) for row in rows if row[1] == "11" and row[9] in inodes]

    def freeze(self):
        """Sends SIGSTOP and waits for its effect, because on another CPU a task runs on for a moment."""
        os.kill(self.pid, signal.SIGSTOP)
        wait_for(lambda: state(self.pid) == "T", "the daemon stopped")

    def sync(self):
        """
        Returns when every event up to now has been handled. The marker alone is not enough: if events are late, as on a
        slow machine, the daemon books all of them before it decides about any, and may decide about the marker before
        others. But it answers a request only after it has decided about all.
        """
        marker = Program([SYNC_NAME, "1000"], sleep_program())
        want = fair(NORMAL, 1, 3333333)
        try:
            wait_for(lambda: marker.attr() == want or not self.running(), "sync with the daemon")
        finally:
            marker.end()
        if not self.running():
            raise AssertionError("the daemon has ended with %d:\n%s" % (self.popen.returncode, self.log()))
        self.status()

    def kill(self):
        """Kills the daemon, like a crash."""
        self.popen.kill()
        self.popen.wait()
        wait_for(lambda: schedqos("status").returncode, "no daemon")

    def stop(self, how=signal.SIGTERM):
        """Stops the daemon, by a signal or by the verb (None), and checks that it has left no trace."""
        if not self.running():
            # A test may have killed it, or have seen it refuse to start.
            status = self.popen.returncode if self.popen else 0
            is_crash = status < 0 and status != -signal.SIGKILL
            if self.popen and (is_crash or any(word in self.log() for word in SANITIZER_WORDS)):
                raise AssertionError("the daemon has ended with %d:\n%s" % (status, self.log()))
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

    def traces(self):
        """Describes everything that the daemon has left behind."""
        after = snapshot()
        return differences(self.before, after, self.changed) + leftovers(self.before, after, self.changed)

    def check_undone(self):
        wrong = lasting(self.traces)
        if wrong:
            more = ["... and %d more" % (len(wrong) - 8)] if len(wrong) > 8 else []
            raise AssertionError("after the stop:\n" + "\n".join(wrong[:8] + more))

    def discard(self):
        """Stops the daemon, however the test has ended."""
        if self.running():
            self.popen.terminate()
            try:
                self.popen.wait(PATIENCE * 2)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()
