# SPDX-License-Identifier: GPL-2.0-only
"""
Where the kernel delivers no events, the daemon reports that and fails. Programs in containers are tagged like any
other.
"""

import os
import shutil
import unittest

import proc_events
from attributes import BACKGROUND, DEFAULT, baseline, differences, pristine, snapshot
from daemon import Daemon, is_sanitized, lasting, schedqos, without
from harness import LiveTest
from programs import sleep_program
from waiting import wait_for


@unittest.skipUnless(shutil.which("unshare"), "no unshare")
class Elsewhere(LiveTest):
    def check(self, prefix, words):
        self.need(prefix)
        files = Daemon(self.folder)
        before = baseline()
        for args in ([], ["-d"]):
            result = schedqos("start", *args, *files.options(), prefix=prefix)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertRegex(result.stderr, r"(?m)^schedqos: error: .*(%s)" % words)
            self.assertEqual(lasting(lambda: differences(before, snapshot())), [])
            self.assertIn("no daemon runs", schedqos("status").stderr)

    def test_the_daemon_does_not_start_in_other_namespaces(self):
        for options, words in (("-n", "network namespace"), ("-p -f --mount-proc", "PID namespace"),
                               ("-p -f", "PID namespace|/proc"), ("-U", "root|user namespace"),
                               ("-U -r", "root|user namespace"), ("-U -r -n -p -f --mount-proc", "namespace|root")):
            self.check(["unshare", *options.split()], words)

    def test_the_daemon_does_not_start_in_a_time_namespace(self):
        """There, tasks would be older or younger than the kernel's events say."""
        for shift in ([], ["--boottime", "1000000"], ["--monotonic", "-1000"]):
            self.check(["unshare", "-T", "-f", "--kill-child=TERM", *shift], "time namespace")

    @unittest.skipIf(is_sanitized(), "a sanitizer needs /proc")
    def test_the_daemon_does_not_start_without_a_real_proc(self):
        self.check(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"], "another file system is mounted there")

    def test_another_listener_does_not_hide_a_missing_connector(self):
        """Another listener's subscription feeds every socket of the group, so it proves nothing about ours."""
        with proc_events.open_socket() as netlink:
            proc_events.listen(netlink)
            self.check(["unshare", "-p", "-f", "--mount-proc"], "PID namespace")

    @unittest.skipUnless(shutil.which("setpriv"), "no setpriv")
    def test_the_daemon_does_not_start_without_cap_sys_nice(self):
        """It could raise nice values but never put them back."""
        self.check(without("sys_nice"), "CAP_SYS_NICE")

    @unittest.skipUnless(shutil.which("setpriv"), "no setpriv")
    def test_a_daemon_without_cap_sys_ptrace_reports_that(self):
        """It can do next to nothing, and says so."""
        prefix = without("sys_ptrace")
        self.need(prefix)
        app = self.sleeper("app", user=65534)
        daemon = self.daemon({"app": {"qos": BACKGROUND}}, prefix=prefix)
        problems = [text for text in daemon.status()["problems"] if "CAP_SYS_PTRACE" in text]
        self.assertEqual(len(problems), 1, daemon.status()["problems"])
        self.assertIn(problems[0], daemon.log())
        self.assertEqual(app.attr(), pristine())


@unittest.skipUnless(shutil.which("unshare"), "no unshare")
class Containers(LiveTest):
    """Programs in namespaces of their own are on the same machine."""

    def check(self, *options):
        prefix = ["unshare", *options]
        self.need(prefix)
        inside = self.path("inside")
        before = self.run_program([*prefix, "sh", "-c", "%s 1000; :" % inside])
        self.pid_of(before)
        self.daemon({"inside": {"qos": BACKGROUND}})
        after = self.run_program([*prefix, "sh", "-c", "%s 1000; :" % inside])
        for program in (before, after):
            self.assert_carries(self.pid_of(program), BACKGROUND)

    def pid_of(self, program):
        def find():
            for pid in program.descendants():
                try:
                    with open("/proc/%d/cmdline" % pid, encoding="utf-8") as file:
                        if file.read().split("\0")[0] == self.path("inside"):
                            return pid
                except (FileNotFoundError, ProcessLookupError):
                    pass
            return None

        return wait_for(find, "the program inside")

    def test_programs_in_containers_are_tagged(self):
        self.alias("inside")
        for options in ("-n", "-p -f --mount-proc -m", "-U -r -p -f", "-T -f --boottime 1000000"):
            self.check(*options.split())
            self.current.stop()


@unittest.skipUnless(shutil.which("unshare") and shutil.which("setpriv"), "no unshare or no setpriv")
class Mounts(LiveTest):
    """In a user namespace, any user can mount anything over a path that the user cannot write."""

    AS_SOMEBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "unshare", "-U", "-r", "-m"]

    def mounted_over(self, path):
        """Starts a program that a user has mounted over another."""
        script = 'mount --bind "$0" "$1" && exec "$1" 1000'
        program = self.run_program([*self.AS_SOMEBODY, "sh", "-c", script, sleep_program(), path])
        wait_for(lambda: os.readlink("/proc/%d/exe" % program.pid) == path, "the program under the path of another")
        return program

    def test_a_path_does_not_match_in_a_user_namespace(self):
        self.need(self.AS_SOMEBODY)
        wants = {"by-path": DEFAULT, "by-glob": DEFAULT, "by-exe": DEFAULT, "anywhere": BACKGROUND}
        paths = {name: self.copy(name) for name in wants}
        rules = {
            paths["by-path"]: {"qos": BACKGROUND},
            "*/by-g[l]ob": {"qos": BACKGROUND},
            "by-exe": {"qos": BACKGROUND, "match": {"exe": paths["by-exe"]}},
            paths["anywhere"]: {"qos": BACKGROUND, "match": {"user_namespace": "any"}},
        }
        programs = [(name, self.mounted_over(path)) for name, path in paths.items()]
        self.daemon(rules)
        programs += [(name, self.mounted_over(path)) for name, path in paths.items()]
        for name, path in paths.items():
            self.assert_carries(self.run_program([path, "1000"]), BACKGROUND, name)
        for name, program in programs:
            self.assert_carries(program, wants[name], name)
