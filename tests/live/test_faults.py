# SPDX-License-Identifier: GPL-2.0-only
"""
The daemon is killed, stopped, and starved of descriptors, memory and disk. Each time the right thing happens to tasks,
and the status or the reply to the caller names the fault.
"""

import contextlib
import fcntl
import os
import resource
import socket
import subprocess
import threading
import unittest

from attributes import BACKGROUND, BATCH, INITIATED, MS, UI, classes, fair, get_attr, pristine, set_attr
from cgroups import MOUNTS
from daemon import SCHEDQOS, environment, is_sanitized, schedqos, without
from harness import LiveTest
from programs import sleep_program
from tasks import open_files, sleeps, state
from waiting import wait_for

RULES = {"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}, "other": {"qos": INITIATED}}


class Storm:
    """Makes children, most of which end at once, threads and programs until it is told to end."""

    def __init__(self, test):
        self.test, self.over = test, threading.Event()
        self.puppets = [test.puppet("app"), test.puppet("other")]
        self.born, self.rounds = [], 0  # tids, and a number
        self.thread = threading.Thread(target=self.rage)

    def rage(self):
        while not self.over.is_set():
            for puppet in self.puppets:
                puppet.tell(0, "children_of_many", 50)
                if len(self.born) < 1000:
                    self.born += [*puppet.tell(0, "fork", 4), puppet.tell(0, "thread")[1],
                                  puppet.tell(0, "spawn", ["app", "1000"], sleep_program())]
            self.rounds += 1

    def __enter__(self):
        self.thread.start()
        wait_for(lambda: self.rounds, "the storm")
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def goes_on(self, rounds=3):
        then = self.rounds
        wait_for(lambda: self.rounds >= then + rounds, "more of the storm")


class Killed(LiveTest):
    def test_a_kill_during_a_call_is_reported_to_the_caller(self):
        app = self.sleeper("app")
        daemon = self.daemon(RULES)
        self.assert_carries(app, BACKGROUND)
        daemon.freeze()
        with subprocess.Popen([SCHEDQOS, "reload"], env=environment(), stderr=subprocess.PIPE, text=True) as waiting:
            wait_for(lambda: any("socket:" in file for file in open_files(waiting.pid).values()), "the question")
            wait_for(lambda: state(waiting.pid) == "S", "it waits")
            daemon.kill()
            self.assertIn("the daemon hung up", waiting.communicate()[1])
        self.assertEqual(waiting.returncode, 1)
        result = schedqos("restore")
        self.assertRegex(result.stderr, r"tasks put back: [1-9]")
        daemon.check_undone()

    def test_a_kill_under_a_storm_loses_nothing(self):
        """After SIGKILL, a start and a stop put everything back."""
        chosen, storm = self.sleeper("app"), Storm(self)
        set_attr(chosen.pid, BATCH, 6, 7 * MS)
        first = self.daemon(RULES)
        with storm:
            self.assert_carries(chosen, classes()[BACKGROUND]._replace(nice=6))
            storm.goes_on()
            first.kill()
            storm.goes_on()
            second = self.daemon(RULES)
            second.before = first.before
            self.assertIn("an earlier daemon ended without putting back", second.log())
            self.assertTrue(second.status()["crash_safe"])
            # Other tasks are still tagged, and nothing is refused.
            for _ in range(20):
                self.assert_carries(self.sleeper("other"), INITIATED)
            self.assertEqual(second.status()["refused"], {})
            second.stop()
        self.assertEqual(chosen.attr(), fair(BATCH, 6, 7 * MS))
        self.assertTrue(storm.born)
        for pid in (*storm.born, *(puppet.pid for puppet in storm.puppets)):
            self.assertIn(get_attr(pid), (pristine(), None))


class Restore(LiveTest):
    """A daemon that cannot put tasks back leaves them to the next one."""

    def test_a_restore_without_privileges_fails_and_keeps_the_records(self):
        app = self.sleeper("app")
        first = self.daemon(RULES)
        self.assert_carries(app, BACKGROUND)
        first.kill()
        for prefix, words in ((without("sys_nice"), "not permitted"),
                              (["unshare", "-p", "-f", "--mount-proc"], "PID namespace"),
                              (["unshare", "-T", "-f", "--boottime", "1000000"], "time namespace")):
            with self.subTest(words):
                self.need(prefix)
                result = schedqos("restore", prefix=prefix)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(words, result.stderr)
        self.assertEqual(schedqos("restore").returncode, 0)
        self.assertEqual(app.attr(), pristine())
        first.check_undone()


class Run(LiveTest):
    """Daemons in a mount namespace of their own, with a /run of the test."""

    def on_run(self, options):
        prefix = [*MOUNTS, 'mount -t tmpfs -o %s none /run\nexec "$@"' % options, "sh"]
        self.need(prefix)
        return prefix

    def test_a_daemon_without_a_writable_run_does_not_start(self):
        files = self.prepare()
        app = self.sleeper("app")
        for args in (["start"], ["start", "-d"], ["restore"]):
            result = schedqos(*args, *(files.options() if args[0] == "start" else []),
                              prefix=self.on_run("ro"))
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertIn("Read-only file system", result.stderr)
        self.assertEqual(app.attr(), pristine())

    def test_without_room_in_run_tasks_keep_what_they_carry(self):
        daemon = self.prepare(RULES, prefix=self.on_run("size=1m"))
        daemon.has_own_mounts = True
        ballast = "/proc/%d/root/run/ballast" % daemon.start().pid
        with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        # There are more of these tasks than free records in the present chunk.
        puppet = self.puppet("app")
        puppet.tell(0, "fork", 1100)
        apps = [self.sleeper("app") for _ in range(20)]
        wait_for(lambda: daemon.status()["problems"], "a daemon that knows")
        problem, = daemon.status()["problems"]
        self.assertIn("no room in /run/schedqos: tasks had to wait", problem)
        # A scan may have freed the records of some that have ended.
        self.assertTrue(any(app.attr().nice != 4 for app in apps))
        os.unlink(ballast)
        for app in apps:
            self.assert_carries(app, BACKGROUND)
        daemon.stop()
        self.assertEqual({get_attr(pid) for pid in puppet.descendants()}, {pristine()})


F_SETPIPE_SZ = 1031  # fcntl has it since Python 3.10


class Pipe(LiveTest):
    def test_a_log_that_nobody_reads_does_not_block_the_daemon(self):
        """As with `start -v | less`, while less waits for a key."""
        os.mkfifo(self.path("pipe"))
        pipe = os.open(self.path("pipe"), os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, pipe)
        fcntl.fcntl(pipe, F_SETPIPE_SZ, 4096)
        daemon = self.prepare({"app": {"qos": BACKGROUND, "thread_qos": {"even": UI}}}, args=["-v"],
                              prefix=["sh", "-c", 'exec "$@" 2> %s' % self.path("pipe"), "sh"])
        # Until it is ready, the daemon waits for the reader of its messages.
        drain = threading.Thread(target=self.drain, args=(pipe,), daemon=True)
        drain.start()
        daemon.start()
        self.ready.set()
        drain.join()
        app = self.puppet("app")
        while not daemon.status()["log_lost"]:
            app.tell(0, "rename_often", 500)
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        self.assertEqual([text for text in daemon.status()["problems"] if "renames a second" not in text], [])

    def drain(self, pipe):
        while not self.ready.wait(0.01):
            with contextlib.suppress(BlockingIOError):
                os.read(pipe, 65536)

    def setUp(self):
        super().setUp()
        self.ready = threading.Event()
        self.addCleanup(self.ready.set)


@contextlib.contextmanager
def limited(pid, kind, value):
    """Sets a limit of a running process. Lifts it at the end if the process still runs."""
    soft, hard = resource.prlimit(pid, kind)
    resource.prlimit(pid, kind, (value, hard))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, kind, (soft, hard))


def problem(daemon, words):
    """Returns how often the problem with these words happened."""
    return sum(count for text, count in daemon.status()["problems"].items() if words in text)


class Descriptors(LiveTest):
    def test_without_descriptors_tasks_wait_and_are_decided_about_later(self):
        """
        The daemon forgets no task and does not retry in a loop. Once it has descriptors again, it makes good for
        everything.
        """
        daemon = self.daemon(RULES)
        old = self.puppet("app")
        self.assert_carries(old, BACKGROUND)
        daemon.sync()
        with limited(daemon.pid, resource.RLIMIT_NOFILE, 0):
            programs = [self.sleeper("app") for _ in range(20)]
            born = old.tell(0, "spawn", [self.alias("other"), "1000"])
            client = socket.socket(socket.AF_UNIX)
            self.addCleanup(client.close)
            client.connect("/run/schedqos/bus")
            wait_for(lambda: "Too many open files" in daemon.log(), "a word of it")
            # A daemon that calls accept again and again does not sleep.
            then = sleeps(daemon.pid)
            wait_for(lambda: sleeps(daemon.pid) > then + 2, "a daemon that sleeps")
        for program in programs:
            self.assert_carries(program, BACKGROUND)
        self.assert_carries(born, INITIATED)
        wait_for(lambda: schedqos("status").returncode == 0, "an answer")
        self.assertGreater(problem(daemon, "Too many open files"), 0)

    def test_a_stop_without_descriptors_puts_everything_back(self):
        # The leak checker cannot run without descriptors.
        daemon = self.daemon(RULES, environ={"ASAN_OPTIONS": "exitcode=99:detect_leaks=0"})
        app = self.puppet("app")
        self.assert_carries(app, BACKGROUND)
        daemon.sync()
        with limited(daemon.pid, resource.RLIMIT_NOFILE, 0):
            born = [app.tell(0, "spawn", [self.alias("other"), "1000"]), *app.tell(0, "fork", 3)]
            daemon.stop()
        for pid in (app.pid, *born):
            self.assertEqual(get_attr(pid), pristine())


class Memory(LiveTest):
    HUGE = {"app": {"qos": BACKGROUND}, **{"program-number-%d" % i: {"qos": UI} for i in range(16000)}}

    @unittest.skipIf(is_sanitized(), "a sanitizer maps it all and dies without")
    def test_without_memory_a_reload_is_refused_and_tasks_wait(self):
        """
        Allocations fail: the reload is refused, and new tasks get no record. Once there is memory, they get their
        classes.
        """
        daemon = self.daemon(RULES)
        with open("/proc/%d/statm" % daemon.pid, encoding="ascii") as statm:
            size = int(statm.read().split()[0]) * os.sysconf("SC_PAGESIZE")
        app = self.puppet("app")
        self.assert_carries(app, BACKGROUND)
        with limited(daemon.pid, resource.RLIMIT_AS, size):
            result = daemon.reload(self.HUGE)
            self.assertIn(result.returncode, (1, 78))
            self.assertIn("Cannot allocate memory", result.stderr)
            self.assertIn("Cannot allocate memory", daemon.status()["reload_error"])
            self.assert_carries(self.sleeper("other"), INITIATED)
            children = app.tell(0, "fork", 2200)
            wait_for(lambda: problem(daemon, "Cannot allocate memory"), "a word of it")
        daemon.configure(RULES)
        wait_for(lambda: daemon.status()["tasks"] > len(children), "all tasks known")
        daemon.stop()
        self.assertEqual({get_attr(pid) for pid in children}, {pristine()})
