#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
explain --against: what it says two tasks get of a CPU, compared with what they get. HIERARCHIES=20 tries so many, 3
otherwise. This alone of all tests measures time, since only the kernel can say what is true; what is outside of the
tolerance, as others used the CPU meanwhile, is measured once more, for longer.
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import time
import unittest

from cgroups import TOP, Cgroups
from daemon import SCHEDQOS, schedqos
from harness import main
from tasks import runtime

COUNT = int(os.environ.get("HIERARCHIES", "3"))
SEED = int(os.environ.get("HIERARCHIES_SEED", "28"))
TOLERANCE = 0.05
SECONDS, SECONDS_AGAIN = 1, 4
AUTOGROUP = "/proc/sys/kernel/sched_autogroup_enabled"


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


class CpuCgroups(Cgroups):
    """Those of the cpu controller, of version 1 where it has that."""

    def __init__(self, name):
        self.is_v1 = os.path.exists(TOP + "/cpu/cpu.shares")
        super().__init__(name)

    def find_top(self):
        if self.is_v1:
            return TOP + "/cpu"
        top = super().find_top()
        with contextlib.suppress(OSError, TypeError):
            write(top + "/cgroup.subtree_control", "+cpu")
            return top
        return None

    def weigh(self, path, weight):
        """100 is the usual weight; 0: cpu.idle."""
        folder = self.make(path)
        if weight == 0 and os.path.exists(folder + "/cpu.idle"):
            write(folder + "/cpu.idle", 1)
        elif self.is_v1:
            write(folder + "/cpu.shares", max(2, weight * 1024 // 100))
        else:
            write(folder + "/cpu.weight", max(1, weight))


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
        result = schedqos("explain", str(one), "--against", str(other), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

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
                write(one + "/cgroup.subtree_control", "+cpu")

    def test_what_it_says_is_what_they_get(self):
        for number in range(COUNT):
            with contextlib.ExitStack() as stack:
                stack.callback(self.begin_anew)
                (one, other), told = self.hierarchy(random.Random(SEED + number))
                said = [task["share_permille"] / 1000 for task in self.ask(one, other)["tasks"]]
                self.assertAlmostEqual(sum(said), 1, places=2)
                got = share(one, other, SECONDS)
                if abs(got - said[0]) > TOLERANCE:
                    got = share(one, other, SECONDS_AGAIN)
                if COUNT > 3:
                    print("  seed %d: said %.3f, got %.3f (%s)" % (SEED + number, said[0], got, told), flush=True)
                self.assertLessEqual(abs(got - said[0]), TOLERANCE,
                                     "seed %d: said %.3f, got %.3f: %s" % (SEED + number, said[0], got, told))

    def begin_anew(self):
        self.doCleanups()
        self.setUp()

    def test_words_and_members(self):
        self.enable("")
        self.cgroups.weigh("a\033[2J", 200)
        self.cgroups.weigh("b", 100)
        one, two, three = self.spinner("a\033[2J", nice=10), self.spinner("b", nice=-10), self.spinner("b")
        said = self.ask(one, two)
        self.assertEqual((said["ranked_by"], said["quotas"]), ("weights", []))
        self.assertEqual([task["share_permille"] for task in said["tasks"]], [667, 333])
        self.assertEqual([task["cpu_cgroup"] for task in said["tasks"]],
                         [self.cgroups.path("a") + "\\x1b[2J", self.cgroups.path("b")])
        text = schedqos("explain", str(one), "--against", str(two)).stdout
        weight = 2048 if self.cgroups.is_v1 else 200
        self.assertIn("ranked by cpu cgroup %s\\x1b[2J (weight %d)\n" % (self.cgroups.path("a"), weight), text)
        self.assertRegex(text, "(?m)^%d .*: 67 %% of one CPU, if" % one)
        self.assertRegex(text, "(?m)^%d .*: 33 %% of one CPU$" % two)
        said = self.ask(two, three)
        self.assertEqual((said["ranked_by"], "cpu_cgroup" in said["tasks"][0]), ("attributes", False))
        self.assertEqual([task["share_permille"] for task in said["tasks"]], [903, 97])
        # Groups of version 1 may have no room for real-time tasks.
        with subprocess.Popen(["sleep", "1000"]) as sleeper:
            self.addCleanup(sleeper.kill)
            os.sched_setscheduler(sleeper.pid, os.SCHED_FIFO, os.sched_param(1))
            said = self.ask(two, sleeper.pid)
            sleeper.kill()
        self.assertEqual((said["ranked_by"], said["tasks"][0]["share_permille"]), ("priority", 0))

    def test_a_quota_on_the_way_is_named(self):
        self.enable("")
        one, two = self.spinner("a"), self.spinner("b")
        folder = self.cgroups.make("b")
        write(*((folder + "/cpu.cfs_quota_us", 50000) if self.cgroups.is_v1 else
                (folder + "/cpu.max", "50000 100000")))
        self.assertEqual(self.ask(one, two)["quotas"], [self.cgroups.path("b")])
        self.assertIn("cpu cgroup %s has a quota" % self.cgroups.path("b"),
                      schedqos("explain", str(one), "--against", str(two)).stdout)

    @unittest.skipUnless(os.path.exists(AUTOGROUP), "a kernel without autogroups")
    def test_autogroups_divide_the_root(self):
        with open(AUTOGROUP, encoding="ascii") as file:
            before = file.read()
        self.addCleanup(write, AUTOGROUP, before)
        write(AUTOGROUP, 1)
        one, two = self.spinner(None, nice=-10), self.spinner(None, nice=10)
        said = self.ask(one, two)
        self.assertEqual([task["share_permille"] for task in said["tasks"]], [500, 500])
        self.assertRegex(said["tasks"][0]["cpu_cgroup"], "^autogroup-[0-9]+$")
        write("/proc/%d/autogroup" % one, -5)
        self.assertEqual(self.ask(one, two)["tasks"][0]["share_permille"], 753)

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


if __name__ == "__main__":
    main()
