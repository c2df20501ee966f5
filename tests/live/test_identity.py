# SPDX-License-Identifier: GPL-2.0-only
"""An id that passes on to another task takes nothing along: neither a tag, nor what there is to put back."""

import os
import signal
import unittest

from attributes import BACKGROUND, DEFAULT, NORMAL, fair, get_attr, pristine, set_all
from harness import LiveTest
from programs import Program, sleep_program
from waiting import wait_for

LAST_PID = "/proc/sys/kernel/ns_last_pid"
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
