# SPDX-License-Identifier: GPL-2.0-only
"""Rules take effect: names of threads, each condition, and inheritance."""

import os
import shutil

from attributes import BACKGROUND, DEFAULT, INITIATED, UI, UTILITY
from cgroups import MOUNTS
from groups import tool
from harness import LiveTest
from tasks import comm
from waiting import wait_for


class Names(LiveTest):
    def test_a_renamed_thread_follows_its_rule(self):
        self.daemon({"app": {"qos": UTILITY, "thread_qos": {"ui": UI, "io-*": BACKGROUND}}})
        app = self.puppet("app")
        number, tid = app.tell(0, "thread")
        for name, qos, how in (("ui", UI, "prctl"), ("io-1", BACKGROUND, "comm"), ("else", UTILITY, "prctl"), ("ui", UI, "comm")):
            app.tell(number, "name", name, how)
            self.assert_carries(tid, qos, name)
        app.tell(0, "name", "ui")
        self.assert_carries(app, UI)


class Conditions(LiveTest):
    def test_a_condition_on_argv_is_met(self):
        self.daemon({"java": {"qos": UI, "match": {"argv": ["-jar", "*minecraft*"]}}})
        java = self.alias("java", tool("patient"))
        for arguments, qos in ((["-jar", "/opt/minecraft.jar"], UI), (["-jar", "/opt/other.jar"], DEFAULT),
                               (["minecraft"], DEFAULT)):
            self.assert_carries(self.run_program([java, *arguments]), qos)

    def test_a_condition_on_the_user_is_met(self):
        self.daemon({"app": [{"qos": UI, "match": {"user": "nobody"}},
                             {"qos": INITIATED, "match": {"user": 12345}},
                             {"qos": BACKGROUND, "match": {"user": "root"}}]})
        for user, qos in (("nobody", UI), (12345, INITIATED), (0, BACKGROUND), (12346, DEFAULT)):
            self.assert_carries(self.sleeper("app", user=user), qos, str(user))

    def test_a_set_user_id_program_counts_as_its_caller_s(self):
        """Its caller chooses its name, and its children inherit, so it must not count as root's."""
        self.daemon({"app": [{"qos": UI, "match": {"user": "root"}, "inherit": True},
                             {"qos": BACKGROUND, "match": {"user": "nobody"}}]})
        su = self.copy("su")
        os.chmod(su, 0o4755)
        program = self.run_program(["app", "1000"], su, user="nobody")
        wait_for(lambda: comm(program.pid) == b"su", "the exec")
        if os.stat("/proc/%d" % program.pid).st_uid != 0:
            self.skipTest("set-user-ID programs have no effect here")
        self.assert_carries(program, BACKGROUND)

    def test_a_rule_for_the_seat_raises_nobody_elsewhere(self):
        """Bob is logged in by ssh, and can run a program under any name."""
        alice, bob = 12345, 12346
        os.makedirs(self.path("systemd/seats"))
        for user, seats in ((alice, "seat0"), (bob, "")):
            self.write("systemd/users/%d" % user,
                       "STATE=active\nSESSIONS=1\nONLINE_SESSIONS=1\nSEATS=%s\nONLINE_SEATS=%s\n" % (seats, seats))
        self.need([*MOUNTS, "mount --bind %s /run/systemd" % self.path("systemd")])
        daemon = self.daemon({"schedqos": {"raise": "seat"}, "app": {"qos": UI, "inherit": True}, "cc": {"qos": BACKGROUND}},
                             prefix=[*MOUNTS, 'mount --bind %s /run/systemd\nexec "$@"' % self.path("systemd"), "sh"])
        alices, bobs = self.sleeper("app", user=alice), self.sleeper("app", user=bob)
        self.assert_carries(alices, UI)
        self.assert_carries(bobs, DEFAULT)
        self.assertRegex(daemon.ask("explain", str(bobs.pid)).stdout, "uid %d has no session at a seat" % bob)
        self.assert_carries(self.sleeper("app", user=0), UI)
        self.assert_carries(self.sleeper("cc", user=bob), BACKGROUND)
        self.assert_carries(self.sleeper("app", user=54321), DEFAULT)
        # A process that may raise itself may be raised. Capabilities in a user namespace of its own do not count.
        drop = ["setpriv", "--reuid", str(bob), "--clear-groups"]
        nice = ["--inh-caps", "+sys_nice", "--ambient-caps", "+sys_nice"]
        self.need([*drop, *nice])
        self.assert_carries(self.sleeper("app", prefix=[*drop, *nice]), UI)
        self.need([*drop, "unshare", "-U", "-r"])
        root = self.sleeper("app", prefix=[*drop, "unshare", "-U", "-r"])
        wait_for(lambda: comm(root.pid) == b"app", "the exec")
        self.assert_keeps(root, DEFAULT)
        # The user has logged out.
        os.unlink(self.path("systemd/users/%d" % alice))
        self.assert_keeps(alices, UI)
        self.assertEqual(daemon.ask("reload").returncode, 0)
        self.assert_carries(alices, DEFAULT)
        # Without logind, all users count as at a seat.
        os.rmdir(self.path("systemd/seats"))
        self.assert_carries(self.sleeper("app", user=bob), UI)

    def test_a_condition_on_exe_is_met(self):
        self.daemon({"app": {"qos": UI, "match": {"exe": self.path("good/*")}}})
        self.assert_carries(self.run_program(["app", "1000"], self.copy("good/app")), UI)
        self.assert_carries(self.run_program(["app", "1000"], self.copy("bad/app")), DEFAULT)

    def test_a_condition_on_the_parent_is_met(self):
        self.daemon({"child": {"qos": UI, "match": {"parent": "par?nt"}}})
        parent, other = self.puppet("parent"), self.puppet("other")
        child = [self.alias("child"), "1000"]
        self.assert_carries(parent.tell(0, "spawn", child), UI)
        self.assert_carries(other.tell(0, "spawn", child), DEFAULT)

    def test_a_condition_on_the_cgroup_is_met(self):
        cgroups = self.new_cgroups("schedqos-live")
        self.daemon({"app": {"qos": UI, "match": {"cgroup": "*/schedqos-live/*"}}})
        shell = "echo $$ > %s/cgroup.procs && exec %s 1000" % (cgroups.make("app.scope"), self.alias("app"))
        self.assert_carries(self.run_program(["sh", "-c", shell]), UI)
        self.assert_carries(self.sleeper("app"), DEFAULT)


class Inheritance(LiveTest):
    def test_a_tree_from_before_the_start_inherits(self):
        make = self.puppet("make")
        middle = make.tell(0, "spawn", [shutil.which("sh"), "-c", "%s 1000 & wait" % self.alias("as")])
        wait_for(lambda: len(make.descendants()) == 2, "the tree")
        self.daemon({"make": {"qos": BACKGROUND, "inherit": True}})
        for pid in (make.pid, middle, make.descendants()[1]):
            self.assert_carries(pid, BACKGROUND)
