# SPDX-License-Identifier: GPL-2.0-only
"""An id that passes on to another task takes nothing along: neither a tag, nor what there is to put back."""

import contextlib
import os
import signal
import threading
import unittest

from attributes import IDLE, NORMAL, classes, fair, get_attr, pristine, set_all
from harness import LiveTest, main
from programs import Program, sleep_program
from waiting import wait_for

BACKGROUND, DEFAULT = "QOS_BACKGROUND", "QOS_DEFAULT"
LAST_PID = "/proc/sys/kernel/ns_last_pid"
PID_MAX = "/proc/sys/kernel/pid_max"
RULES = {"ruled": {"qos": BACKGROUND}, "QOS_BACKGROUND": {"sched_nice": 4}}


def fork_as(pid, action):
    """
    Forks a child that gets this very id, if nobody is quicker. It carries out the action and then waits. Returns
    whether it got the id; then the caller ends it.
    """
    with open(LAST_PID, "w", encoding="ascii") as last:
        last.write(str(pid - 1))
        last.flush()
        child = os.fork()
    if child == 0:
        try:
            action()
            signal.pause()
        finally:
            os._exit(0)
    if child == pid:
        return True
    end(child)
    return False


def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@contextlib.contextmanager
def sysctl(path, value):
    with open(path, encoding="ascii") as file:
        before = file.read()
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))
    try:
        yield
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(before)


@unittest.skipUnless(os.access(LAST_PID, os.W_OK), "no ns_last_pid (CONFIG_CHECKPOINT_RESTORE)")
class Identity(LiveTest):
    def pass_on(self, program, action):
        """The program ends, and its id goes to a child of ours at once."""
        for _ in range(200):
            program.end()
            if fork_as(program.pid, action):
                self.addCleanup(end, program.pid)
                return program.pid
            program = Program(["ruled", "1000"], sleep_program())
        self.skipTest("somebody is always quicker to take the id")

    def test_an_id_reused_while_we_are_stopped(self):
        """The daemon receives the exec of the first when the second has its id."""
        daemon = self.daemon(RULES)
        self.assert_carries(os.getpid(), DEFAULT)
        daemon.freeze()
        try:
            pids = [self.pass_on(self.sleeper("ruled"), lambda nice=nice: set_all(policy=NORMAL, nice=nice))
                    for nice in range(6, 16)]
            plain = self.pass_on(self.sleeper("ruled"), lambda: None)
            for nice, pid in zip(range(6, 16), pids):
                wait_for(lambda: get_attr(pid) == fair(NORMAL, nice), "the child's own choice")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        daemon.sync()
        for nice, pid in zip(range(6, 16), pids):
            daemon.changed.add(pid)
            # Not the slice: a new copy without its parent's counts as born with reset-on-fork, and gets its class's.
            attr = get_attr(pid)
            self.assertEqual((attr.policy, attr.nice), (NORMAL, nice), "pid %d" % pid)
        self.assert_carries(plain, DEFAULT)
        daemon.stop()
        for nice, pid in zip(range(6, 16), pids):
            self.assertEqual(get_attr(pid), fair(NORMAL, nice), "pid %d after the stop" % pid)
        self.assertEqual(get_attr(plain), pristine())

    def test_an_id_reused_at_once(self):
        """Many times over, the id of a task just tagged is reused for one that others have set attributes of."""
        daemon = self.daemon(RULES)
        for nice in range(6, 16):
            pid = self.pass_on(self.sleeper("ruled"), lambda nice=nice: set_all(policy=IDLE, nice=nice))
            daemon.changed.add(pid)
            wait_for(lambda: get_attr(pid) and get_attr(pid).policy == IDLE, "the child's own choice")
            before = get_attr(pid)
            self.assert_keeps(pid, before)
        daemon.stop()

    def test_what_a_dead_task_had_goes_to_nobody(self):
        """The first was niced before it was tagged; the second gets back what it had itself."""
        daemon = self.daemon(RULES)
        first = self.sleeper("ruled", prefix=("nice", "-n", "9"))
        self.assert_carries(first, classes()[BACKGROUND]._replace(nice=11))
        pid = self.pass_on(first, lambda: None)
        self.assert_carries(pid, DEFAULT)
        daemon.stop()
        self.assertEqual(get_attr(pid), pristine())

    def test_ids_that_wrap_under_load(self):
        """A few hundred ids go round and round, while programs come and go: each carries what is its own."""
        used = max(int(pid) for pid in os.listdir("/proc") if pid.isdigit())
        daemon = self.daemon(RULES)
        stop = threading.Event()

        def storm():
            while not stop.is_set():
                child = os.posix_spawn(sleep_program(), ["other", "0"], os.environ)
                os.waitpid(child, 0)

        with sysctl(PID_MAX, max(used + 200, 1024)):
            storms = [threading.Thread(target=storm) for _ in range(2)]
            for thread in storms:
                thread.start()
            try:
                for _ in range(15):
                    programs = [(self.sleeper("ruled"), BACKGROUND) if i % 2 else (self.sleeper("other"), DEFAULT)
                                for i in range(20)]
                    niced = self.sleeper("other", prefix=("nice", "-n", "19"))
                    for program, qos in programs:
                        self.assert_carries(program, qos)
                    self.assert_carries(niced, fair(nice=19))
                    for program, _ in programs:
                        program.end()
                    niced.end()
            finally:
                stop.set()
                for thread in storms:
                    thread.join()
        daemon.sync()


if __name__ == "__main__":
    main()
