# SPDX-License-Identifier: GPL-2.0-only
"""Tasks, clients and races that try to mislead the daemon."""

import os
import shutil

from attributes import BACKGROUND, DEFAULT, INITIATED, UI, UTILITY, get_attr, pristine
from daemon import schedqos
from harness import LiveTest
from programs import sleep_program
from tasks import state
from waiting import wait_for


class Execs(LiveTest):
    def deep(self, folder, length, name="d" * 200):
        """Makes a folder below this one with a path of this length, and changes into it."""
        os.chdir(folder)
        self.addCleanup(os.chdir, "/")
        while length > 0:
            os.mkdir(name)
            os.chdir(name)
            length -= len(name) + 1

    def test_a_program_with_the_longest_path_is_tagged(self):
        self.deep(self.folder, 3800)
        shutil.copy(sleep_program(), "deep")
        self.daemon({os.getcwd() + "/deep": {"qos": BACKGROUND}})
        self.assert_carries(self.run_program(["any", "1000"], "./deep"), BACKGROUND)

    def test_a_program_with_a_path_that_is_too_long_matches_nothing(self):
        """Everything else about it works."""
        self.deep(self.folder, 4300)
        shutil.copy(sleep_program(), "deep")
        shutil.copy(sleep_program(), "kid")
        shutil.copy("/bin/sh", "deep-shell")
        daemon = self.daemon({"app": {"qos": UI}, "deep": {"qos": BACKGROUND}, "*": {"qos": INITIATED, "match":
                              {"exe": "*"}}, "child": {"qos": UTILITY},
                              "kid": {"qos": BACKGROUND, "match": {"parent": ["/nowhere", "nobody"]}}})
        app = self.puppet("app")
        self.assert_carries(app, UI)
        app.tell(0, "run", ["plain", "1000"], "./deep")
        self.assert_carries(app, DEFAULT)
        self.assert_carries(self.run_program(["child", "1000"], "./deep"), UTILITY)
        self.assertEqual(schedqos("set", str(app.pid), UI).returncode, 0)
        self.assert_carries(app, UI)
        self.assertEqual(schedqos("limit", "--keep", str(app.pid), BACKGROUND).returncode, 0)
        self.assert_carries(app, BACKGROUND)
        self.assertEqual([text for text in daemon.status()["problems"] if "4,095 bytes" not in text], [])
        self.assertTrue(daemon.status()["problems"])
        # Any user can do this, so it must not look like a fault of the machine.
        wait_for(lambda: daemon.status()["well"], "a daemon that is well")
        self.assertIn("; there is a problem, see below\n", schedqos("status").stdout)
        named = self.run_program(["deep", "1000"], "./deep")
        self.assert_carries(named, BACKGROUND)
        self.assertIn('argv[0] "deep", path not known', schedqos("explain", str(named.pid)).stdout)
        # A parent of which no name is known.
        nameless = self.run_program(["x" * 300, "-c", "./kid 1000 & wait"], "./deep-shell")
        kid, = wait_for(nameless.descendants, "a kid")
        self.assertIn("kid: ", wait_for(lambda: schedqos("explain", str(kid)).stdout, "an answer"))

    def test_a_cgroup_with_a_path_that_is_too_long_matches_nothing(self):
        self.try_cgroup(4300, "d" * 200)

    def test_a_cgroup_that_is_too_deep_matches_nothing(self):
        self.try_cgroup(2 * 128, "d")

    def try_cgroup(self, length, name):
        groups = self.new_cgroups("schedqos-test")
        self.deep(groups.root, length, name)
        daemon = self.daemon({"app": {"qos": BACKGROUND}, "other": {"qos": UI, "match": {"cgroup": "*"}},
                              "schedqos": {"groups": {"/nowhere/*": {"max": BACKGROUND}}}})
        puppet = self.puppet("other")
        self.assert_carries(puppet, UI)
        with open("cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(puppet.pid))
        self.assert_carries(puppet.tell(0, "spawn", [self.alias("app"), "1000"]), BACKGROUND)
        self.assert_carries(puppet.tell(0, "spawn", ["other", "1000"], sleep_program()), DEFAULT)
        self.assertTrue([text for text in daemon.status()["problems"] if "4,095 bytes" in text])
        for pid in (puppet.pid, *puppet.descendants()):
            groups.back(pid)
        while not os.path.samefile(".", groups.root):
            os.chdir("..")
            # The cgroup cannot be removed while a process that has just ended still counts.
            wait_for(lambda: groups.is_removed(name), "the end of a group")


class Births(LiveTest):
    def test_threads_get_their_classes_though_their_leader_has_ended(self):
        zombie = self.puppet("app")
        numbers = [zombie.tell(0, "thread")[0] for _ in range(2)]
        threads = [zombie.tell(number, "name", "ui") for number in numbers]
        zombie.begin(0, "leave")
        wait_for(lambda: state(zombie.pid) == "Z", "a zombie leader")
        daemon = self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}})
        for tid in threads:
            self.assert_carries(tid, UI)
        zombie.tell(numbers[0], "name", "other")
        self.assert_carries(threads[0], BACKGROUND)
        # A reload reads it once more; and a thread of it has a child.
        self.assertEqual(daemon.reload({"app": {"qos": BACKGROUND, "thread_qos": {"ui": INITIATED}}}).returncode, 0)
        self.assert_carries(threads[1], INITIATED)
        child = zombie.tell(numbers[0], "spawn", [self.alias("child"), "1000"])
        self.assert_carries(child, DEFAULT)
        daemon.stop()
        for tid in (*threads, child):
            self.assertEqual(get_attr(tid), pristine())
