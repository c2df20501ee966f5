# SPDX-License-Identifier: GPL-2.0-only
"""
explain --against: what it says two tasks get of a CPU. With HIERARCHIES=20 that is compared with what they get, in so
many hierarchies of groups: this alone of all tests measures time, since only the kernel can say what is true; what is
outside of the tolerance, as others used the CPU meanwhile, is measured once more, for longer.
"""

import contextlib
import os
import random
import re
import subprocess
import sys
import time
import unittest

from cgroups import CpuCgroups
from daemon import SCHEDQOS, schedqos
from tasks import runtime

COUNT = int(os.environ.get("HIERARCHIES", "0"))
SEED = int(os.environ.get("HIERARCHIES_SEED", "28"))
TOLERANCE = 0.05
SECONDS, SECONDS_AGAIN = 1, 4


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


def spin(folder, policy, nice):
    """Forks one that wants all of a CPU, and returns when it does. It has been on no other CPU of its group's."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid:
        os.close(told)
        os.read(ready, 1)
        os.close(ready)
        return pid
    try:
        os.setsid()
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        if folder:
            write(folder + "/cgroup.procs", 0)
        os.setpriority(os.PRIO_PROCESS, 0, nice)
        os.sched_setscheduler(0, policy, os.sched_param(0))
        os.write(told, b"!")
        while True:
            pass
    finally:
        os._exit(1)


def end(pid):
    os.kill(pid, 9)
    os.waitpid(pid, 0)


def share(one, other, seconds):
    """Of the first, in what both get within this time."""
    before = runtime(one), runtime(other)
    time.sleep(seconds)
    used = runtime(one) - before[0], runtime(other) - before[1]
    return used[0] / sum(used)


class Against(unittest.TestCase):
    def setUp(self):
        self.cgroups = CpuCgroups("schedqos-against")
        self.addCleanup(self.cgroups.remove)

    def spinner(self, path, policy=os.SCHED_OTHER, nice=0):
        """path: None for the root."""
        pid = spin(path if path is None else self.cgroups.make(path), policy, nice)
        self.addCleanup(end, pid)
        return pid

    def ask(self, one, other):
        """The per cent that each is told to get, and all that is said."""
        result = schedqos("explain", str(one), "--against", str(other))
        self.assertEqual(result.returncode, 0, result.stderr)
        shares = re.findall(r"(?m)^%d .*: ([\d.]+) %% of one CPU, if .*\n.*\n^%d .*: ([\d.]+) %% of one CPU$" % (one, other),
                            result.stdout)
        self.assertEqual(len(shares), 1, result.stdout)
        return [float(share) for share in shares[0]], result.stdout

    def hierarchy(self, rng):
        """Two tasks somewhere in the same few groups, and what is around them as a text for a failure."""
        told = []
        paths = ["/".join(rng.choice("ab") for _ in range(rng.randint(1, 3))) for _ in range(2)]
        if rng.random() < 0.15:
            paths[0] = None
        for path in filter(None, paths):
            # Version 2 allows no processes in groups that have some below.
            whole = path if self.cgroups.is_v1 else path + "/leaf%d" % paths.index(path)
            paths[paths.index(path)] = whole
            parts = whole.split("/")
            for around in ("/".join(parts[:i + 1]) for i in range(len(parts))):
                if os.path.isdir(os.path.join(self.cgroups.root, around)):
                    continue
                self.cgroups.make(os.path.dirname(around))
                self.enable(os.path.dirname(around))
                weight = 0 if rng.random() < 0.1 else int(10 ** rng.uniform(1, 3))
                self.cgroups.weigh(around, weight)
                told.append("%s: %d" % (around, weight))
        pids = []
        for path in paths:
            policy = rng.choice([os.SCHED_OTHER] * 3 + [os.SCHED_BATCH, os.SCHED_IDLE])
            nice = rng.randint(-10, 10)
            pids.append(self.spinner(path, policy, nice))
            told.append("%s: policy %d nice %d" % (path, policy, nice))
        return pids, ", ".join(told)

    def enable(self, path):
        if not self.cgroups.is_v1:
            folder = os.path.normpath(os.path.join(self.cgroups.root, path))
            for one in (self.cgroups.root, folder):
                self.cgroups.turn(one, "+cpu")

    @unittest.skipUnless(COUNT, "HIERARCHIES is not set: make check-long does")
    def test_what_it_says_is_what_they_get(self):
        for number in range(COUNT):
            with contextlib.ExitStack() as stack:
                stack.callback(self.begin_anew)
                (one, other), told = self.hierarchy(random.Random(SEED + number))
                said = [percent / 100 for percent in self.ask(one, other)[0]]
                self.assertAlmostEqual(sum(said), 1, delta=0.01)
                got = share(one, other, SECONDS)
                if abs(got - said[0]) > TOLERANCE:
                    got = share(one, other, SECONDS_AGAIN)
                print("  seed %d: said %.3f, got %.3f (%s)" % (SEED + number, said[0], got, told), flush=True)
                self.assertLessEqual(abs(got - said[0]), TOLERANCE,
                                     "seed %d: said %.3f, got %.3f: %s" % (SEED + number, said[0], got, told))

    def begin_anew(self):
        self.doCleanups()
        self.setUp()

    def test_what_ranks_is_named(self):
        self.enable("")
        self.cgroups.weigh("a\033[2J", 200)
        self.cgroups.weigh("b", 100)
        one, two, three = self.spinner("a\033[2J", nice=10), self.spinner("b", nice=-10), self.spinner("b")
        shares, text = self.ask(one, two)
        self.assertEqual(shares, [67, 33])
        for path, weight in ("a\\x1b[2J", 200), ("b", 100):
            weight = weight * 1024 // 100 if self.cgroups.is_v1 else weight
            self.assertIn("ranked by cpu cgroup %s%s (weight %d)\n" % (self.cgroups.path("a")[:-1], path, weight), text)
        shares, text = self.ask(two, three)
        self.assertEqual(shares, [90, 9.7])
        self.assertIn("ranked by SCHED_NORMAL nice -10", text)
        # Groups of version 1 may have no room for real-time tasks.
        with subprocess.Popen(["sleep", "1000"]) as sleeper:
            self.addCleanup(sleeper.kill)
            os.sched_setscheduler(sleeper.pid, os.SCHED_FIFO, os.sched_param(1))
            shares, text = self.ask(two, sleeper.pid)
            sleeper.kill()
        self.assertEqual(shares[0], 0)
        self.assertIn("priorities go before", text)

    def test_anybody_may_ask(self):
        one = self.spinner("a")
        result = subprocess.run([SCHEDQOS, "explain", "1", "--against", str(one)], user=65534, group=65534,
                                extra_groups=[], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_one_that_is_gone(self):
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE, check=True)
        result = schedqos("explain", "1", "--against", gone.stdout.decode().strip())
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no task " + gone.stdout.decode().strip(), result.stderr)
