# SPDX-License-Identifier: GPL-2.0-only
"""The daemon accepts root and the bridge's user alone, and checks every request that the bridge makes for a user."""

import json
import os
import socket
import subprocess

from askers import AskerTest
from attributes import BACKGROUND, DEFAULT, INITIATED, UI, UTILITY
from cgroups import MOUNTS
from daemon import schedqos
from programs import sleep_program
from tasks import comm
from waiting import wait_for

SOCKET = "/run/schedqos/bus"
MANAGER, OVERRIDES = "org.schedqos1.Manager", "org.schedqos1.Overrides"
BRIDGE, OTHER = 54321, 54322
DENIED = "org.freedesktop.DBus.Error.AccessDenied"
NOT_YOURS, FAILED = ("org.schedqos1.Error." + name for name in ("NotYours", "Failed"))


class BridgeSide(AskerTest):
    def daemon_with_bridge(self, config=None, prefix=(), **options):
        """Starts a daemon on a machine with the user schedqos, whom only the daemon sees."""
        with open("/etc/passwd", encoding="utf-8") as users:
            text = users.read()
        passwd = self.write("passwd", text + "schedqos:x:%d:%d::/:/bin/false\n" % (BRIDGE, BRIDGE))
        own = [*MOUNTS, 'mount --bind %s /etc/passwd; exec "$@"' % passwd, "sh"]
        return self.daemon(config, prefix=[*prefix, *own], **options)

    def asker(self, uid=0, gid=None):
        return self.start_asker(SOCKET, prefix=self.identity(uid, gid))


class Socket(BridgeSide):
    def test_only_root_and_the_bridge_s_user_are_accepted(self):
        self.daemon_with_bridge()
        self.assertEqual(self.asker().state, "ready")
        self.assertEqual(self.asker(BRIDGE).state, "ready")
        self.assertEqual(self.asker(OTHER).state, "Permission denied")
        # A member of the group can connect, but is not accepted.
        self.assertNotEqual(self.asker(OTHER, gid=BRIDGE).state, "ready")

    def test_without_the_bridge_s_user_only_root_is_accepted(self):
        self.daemon()
        self.assertEqual(self.asker().state, "ready")
        self.assertEqual(self.asker(BRIDGE).state, "Permission denied")

    def test_a_socket_that_the_bridge_cannot_use_is_logged(self):
        daemon = self.daemon_with_bridge(prefix=["setpriv", "--bounding-set=-chown", "--"])
        self.assertEqual(self.asker(BRIDGE).state, "Permission denied")
        self.assertIn("so the bridge does not work: Operation not permitted", daemon.log())

    def test_the_bridge_may_call_only_methods_for_users(self):
        self.daemon_with_bridge()
        bridge, root, app = self.asker(BRIDGE), self.asker(), self.sleeper("app")
        for call in (("Status",), ("ListTasks",), ("GetUserWeights",), ("Reload",), ("SetSchedProfile", "s", "-")):
            self.assertEqual(self.ask(bridge, MANAGER, *call)[0], "ok", call)
        for call in (("GetConfig",), ("GetWeights",), ("ExplainName", "s", "app")):
            self.assert_refused(self.ask(bridge, MANAGER, *call), DENIED)
        # The bridge may request nothing in root's name.
        for method, types, *words in (
                ("SetClass", "usbb", app.pid, UTILITY, "false", "false"), ("RaiseClass", "usbb", app.pid, UI, "false", "false"),
                ("Reset", "u", app.pid), ("LimitProcess", "usb", app.pid, UTILITY, "false"), ("LiftProcess", "u", app.pid),
                ("LimitCgroup", "ssb", "/", UTILITY, "false"), ("LiftCgroup", "s", "/"),
                ("SetUnitClasses", "a(sss)", "/", UTILITY, "place"), ("Explain", "u", app.pid), ("ListUse", "")):
            call = (method, "us" + types, 0, "-", *words)
            self.assert_refused(self.ask(bridge, OVERRIDES, *call), NOT_YOURS)
            self.assertEqual(self.ask(root, OVERRIDES, *call)[0], "ok")
        self.assert_refused(self.ask(root, OVERRIDES, "SetShown", "usus", 0, "-", app.pid, "hidden"), NOT_YOURS)

    def test_no_file_descriptor_is_accepted(self):
        """Closing one could wait forever for the process that serves its file system."""
        if tuple(map(int, os.uname().release.split(".")[:2])) < (6, 16):
            self.skipTest("a kernel before 6.16")
        self.daemon_with_bridge()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(SOCKET)
            with self.assertRaises(PermissionError):
                socket.send_fds(client, [b"\0"], [client.fileno()])

    def test_a_mapping_chosen_at_run_time_outlasts_a_reload(self):
        layers = {"mappings/calm.json": {"QOS_USER_INTERACTIVE": {"sched_nice": 1}}}
        daemon = self.daemon_with_bridge({"app": {"qos": UI}}, layers=layers)
        bridge, app = self.asker(BRIDGE), self.sleeper("app")
        self.assert_carries(app, UI)
        answer = self.ask(bridge, MANAGER, "SetMapping", "s", "clam")
        self.assert_refused(answer, "org.schedqos1.Error.Config", 'did you mean "calm"')
        self.assertEqual(daemon.status()["reload_error"], "")
        self.assertEqual(self.ask(bridge, MANAGER, "SetMapping", "s", "calm")[0], "ok")
        self.assertEqual(app.attr().nice, 1)
        self.assertEqual(self.ask(bridge, "wait", "Changed"), ["ok"])
        self.assertEqual(daemon.status()["mapping"], "calm")
        # The mapping outlasts a reload.
        self.assertEqual(daemon.reload().returncode, 0)
        self.assertEqual(daemon.status()["mapping"], "calm")
        self.assertEqual(self.ask(bridge, MANAGER, "SetMapping", "s", "announcement")[0], "ok")
        self.assert_carries(app, UI)


class UsersCase(BridgeSide):
    """Two ordinary users, and a connection of the bridge."""

    ALICE, BOB = 54331, 54332
    CONFIG = {"app": {"qos": INITIATED}, "calm": {"qos": BACKGROUND}}

    def setUp(self):
        super().setUp()
        self.daemon_with_bridge(self.CONFIG)
        self.bridge = self.asker(BRIDGE)

    def users(self, method, types, *words):
        return self.ask(self.bridge, OVERRIDES, method, types, *words)

    def set(self, uid, program, qos, descendants="true", keep="false", raises="false", holder=":1.1"):
        method = "RaiseClass" if raises == "true" else "SetClass"
        return self.users(method, "ususbb", uid, holder, program.pid, qos, descendants, keep)

    def limit(self, uid, program, qos, keep="false", holder=":1.1"):
        return self.users("LimitProcess", "ususb", uid, holder, program.pid, qos, keep)

    def limit_cgroup(self, uid, path, qos):
        return self.users("LimitCgroup", "usssb", uid, ":1.1", path, qos, "false")

    def puppet_of(self, uid):
        puppet = self.puppet("app")
        puppet.tell(0, "become", uid)
        return puppet

    def set_user_id(self, name):
        """Makes a copy of sleep that belongs to root and is set-user-ID."""
        self.need_set_user_id()
        path = self.copy(name)
        os.chmod(path, 0o4755)
        return path

    def spawned(self, puppet, name, path, *args):
        return puppet.tell(0, "spawn", [name, *args, "1000"], path)


class Users(UsersCase):
    """Requests for users."""

    def test_requests_for_others_are_refused(self):
        """Processes, cgroups and descriptors of others are refused."""
        bobs, roots = self.sleeper("app", user=self.BOB), self.sleeper("app")
        half = self.sleeper("app", prefix=["setpriv", "--ruid=%d" % self.ALICE, "--"])
        able = self.sleeper("app", prefix=["setpriv", "--reuid=%d" % self.ALICE, "--inh-caps=+sys_nice",
                                           "--ambient-caps=+sys_nice", "--"])
        for program in (half, able):
            wait_for(lambda p=program: b"setpriv" not in comm(p.pid), "exec")
        for program in (bobs, roots, half, able):
            self.assert_carries(program, INITIATED)
            for answer in (self.set(self.ALICE, program, BACKGROUND), self.limit(self.ALICE, program, BACKGROUND),
                           self.set(self.ALICE, program, BACKGROUND, raises="true")):
                self.assert_refused(answer, NOT_YOURS)
            self.assert_keeps(program, INITIATED)
        for uid in (0, 2**32 - 1):
            self.assert_refused(self.set(uid, roots, BACKGROUND), NOT_YOURS)
        for path in ("/", "/system.slice", "/user.slice", "/user.slice/user-%d" % self.ALICE,
                     "/user.slice/user-%d.slice" % self.BOB, "/user.slice/user-%d1.slice" % self.ALICE):
            self.assert_refused(self.limit_cgroup(self.ALICE, path, UTILITY), NOT_YOURS)
        for path in ("relative", "/a/../user.slice", "/user.slice/user-%d.slice/.." % self.ALICE):
            self.assert_refused(self.limit_cgroup(self.ALICE, path, UTILITY), FAILED)
        self.assert_refused(self.users("LimitProcess", "ususb", self.ALICE, ":1.1", 2**32 - 1, UTILITY, "false"), FAILED,
                            "no process")
        self.assert_refused(self.limit_cgroup(self.ALICE, "-", UTILITY), FAILED, "no cgroup")
        self.assert_refused(self.set(self.ALICE, self.sleeper("app", user=self.ALICE), "QOS_X"),
                            "org.schedqos1.Error.UnknownClass")
        self.assertEqual(self.current.status()["overrides"], 0)

    def test_set_user_id_programs_are_not_covered(self):
        """Neither such a program nor its children are covered, until they run as nobody but the user again."""
        app = self.puppet_of(self.ALICE)
        before = self.spawned(app, "app", self.set_user_id("before"))
        self.assert_carries(before, INITIATED)
        for ask, end in ((lambda: self.limit(self.ALICE, app, BACKGROUND), ("LiftProcess", "usu", self.ALICE, "-")),
                         (lambda: self.set(self.ALICE, app, BACKGROUND), ("Reset", "usu", self.ALICE, "-"))):
            self.assertEqual(ask()[0], "ok")
            self.assert_carries(app, BACKGROUND)
            during = self.spawned(app, "app", self.path("before"))
            child = self.spawned(app, "app", sleep_program())
            self.assert_carries(child, BACKGROUND)
            self.assert_carries(during, INITIATED)
            self.assert_keeps(before, INITIATED)
            self.assertEqual(self.users(*end, app.pid), ["ok", "1"])
            self.assert_keeps(child, INITIATED)

    def test_a_process_that_execs_a_set_user_id_program_is_no_longer_covered(self):
        """
        A process of the tree becomes root: from then on the rules apply to it, and the user's request does not.
        """
        path = self.set_user_id("su")
        for _ in range(20):
            app = self.run_program(["app", "-c", "read x; exec %s 1000" % path], executable="/bin/sh",
                                   user=self.ALICE, stdin=subprocess.PIPE)
            self.assert_carries(app, INITIATED)
            self.assertEqual(self.limit(self.ALICE, app, BACKGROUND)[0], "ok")
            app.popen.stdin.write(b"\n")
            app.popen.stdin.flush()
            wait_for(lambda p=app: comm(p.pid) == b"su", "exec")
            self.assert_carries(app, DEFAULT)

    def test_a_limit_on_a_cgroup_covers_only_the_user_s_processes(self):
        """The cgroup is in the user's slice, and has other cgroups in it."""
        groups = self.new_cgroups("user.slice")
        slice_ = "user-%d.slice" % self.ALICE
        own, roots = self.sleeper("app", user=self.ALICE), self.sleeper("app")
        bobs = self.sleeper("app", user=self.BOB)
        for program in (own, roots, bobs):
            groups.move(program.pid, slice_ + "/app.scope")
            self.assert_carries(program, INITIATED)
        path = "/user.slice/" + slice_
        self.assertEqual(groups.path(slice_), path)
        self.assertEqual(self.limit_cgroup(self.ALICE, path, BACKGROUND), ["ok", "1"])
        self.assert_keeps(own, BACKGROUND)
        for program in (roots, bobs):
            self.assert_keeps(program, INITIATED)
        self.assertEqual(self.users("LiftCgroup", "uss", self.BOB, "-", path), ["ok", "0"])
        self.assertEqual(self.users("LiftCgroup", "uss", self.ALICE, "-", path), ["ok", "1"])
        self.assert_keeps(own, INITIATED)

    def units(self, uid, *units, holder=":1.1"):
        return self.users("SetUnitClasses", "usa(sss)", uid, holder, *(word for unit in units for word in unit))

    def test_classes_of_a_user_s_units_cover_only_that_user_s_tasks(self):
        groups = self.new_cgroups("user.slice")
        path = "user-%d.slice/own.service" % self.ALICE
        own, bobs = self.sleeper("own", user=self.ALICE), self.sleeper("own", user=self.BOB)
        for program in (own, bobs):
            groups.move(program.pid, path)
        path = groups.path(path)

        def carry(qos):
            self.assert_keeps(own, qos)
            self.assert_keeps(bobs, DEFAULT)
        carry(DEFAULT)
        for holder in (":1.1", ":1.2"):
            self.assertEqual(self.units(self.ALICE, (path, BACKGROUND, "own:2"), holder=holder), ["ok"])
        carry(BACKGROUND)
        self.assertEqual(self.users("Drop", "s", ":1.1"), ["ok"])
        carry(BACKGROUND)
        self.assertEqual(self.units(self.ALICE, (path, UI, "own:2"), holder=":1.2"), ["ok"])
        carry(DEFAULT)
        self.assertEqual(self.units(self.ALICE, *[(path, BACKGROUND, "own:2")] * 256, holder=":1.2"), ["ok"])
        carry(BACKGROUND)
        self.assert_refused(self.units(self.ALICE, *[(path, UI, "own:2")] * 257), FAILED, "too many")
        self.assert_refused(self.units(self.ALICE, (path, UI, "x" * 4096)), FAILED)
        self.assert_refused(self.units(self.ALICE, (path + "/..", UI, "own:2")), FAILED)
        for uid in (0, self.BOB, 2**32 - 1):
            self.assert_refused(self.units(uid, (path, UI, "own:2")), NOT_YOURS)
        carry(BACKGROUND)
        self.assertEqual(self.users("Drop", "s", ":1.2"), ["ok"])
        carry(DEFAULT)
        self.assertEqual(self.units(self.ALICE, (path, BACKGROUND, "own:2")), ["ok"])
        carry(BACKGROUND)
        self.hang_up(self.bridge)
        carry(DEFAULT)

    def test_the_number_of_overrides_of_one_user_is_limited(self):
        programs = [self.sleeper("app", user=self.ALICE) for _ in range(65)]
        bobs = self.sleeper("app", user=self.BOB)
        for program in programs[:64]:
            self.assertEqual(self.set(self.ALICE, program, UTILITY, keep="true")[0], "ok")
        self.assert_refused(self.set(self.ALICE, programs[64], UTILITY, keep="true"), FAILED, "too many")
        self.assertEqual(self.set(self.ALICE, programs[0], BACKGROUND, keep="true")[0], "ok")
        self.assertEqual(self.set(self.BOB, bobs, UTILITY)[0], "ok")
        self.assertEqual(schedqos("set", str(programs[64].pid), UTILITY).returncode, 0)

    def test_the_number_of_readers_of_one_user_is_limited(self):
        def reads(uid, number):
            return self.users("ListUse", "us", uid, ":1.%d" % number)

        for number in range(4):
            self.assertEqual(reads(self.ALICE, number)[0], "ok")
        self.assert_refused(reads(self.ALICE, 4), FAILED, "too many")
        self.assertEqual(reads(self.ALICE, 0)[0], "ok")
        self.assertEqual(reads(self.BOB, 5)[0], "ok")
        self.assertEqual(schedqos("top", "--once").returncode, 0)

    def test_long_texts_are_refused(self):
        app = self.sleeper("app", user=self.ALICE)
        answers = [self.set(self.ALICE, app, "huge"), self.set(self.ALICE, app, UTILITY, holder="huge"),
                   self.limit_cgroup(self.ALICE, "huge", UTILITY),
                   self.users("SetShown", "usus", self.ALICE, ":1.1", app.pid, "huge")]
        for answer in answers:
            self.assertEqual(answer[0], "error", answer)
            self.assertLess(len(answer[2]), 2000)
        self.assertEqual(self.current.status()["overrides"], 0)

    def test_the_last_class_that_root_requested_replaces_earlier_ones(self):
        app, root = self.sleeper("app"), self.asker()
        self.assertEqual(self.ask(root, OVERRIDES, "SetClass", "ususbb", 0, "-", app.pid, BACKGROUND, "false", "false")[0], "ok")
        self.assertEqual(schedqos("set", str(app.pid), UTILITY).returncode, 0)
        self.assert_keeps(app, UTILITY)
        self.assertEqual(self.current.status()["overrides"], 1)
        self.assertEqual(self.ask(root, "wait", "Ended")[0], "ok")
        self.hang_up(root)
        self.assert_keeps(app, UTILITY)

    def test_many_connections_of_the_bridge_end_no_override_of_root(self):
        roots, root = self.sleeper("app"), self.asker()
        self.assertEqual(self.ask(root, OVERRIDES, "SetClass", "ususbb", 0, "-", roots.pid, BACKGROUND, "false", "false")[0], "ok")
        for _ in range(70):
            self.asker(BRIDGE)
        self.assertEqual(self.ask(self.asker(), MANAGER, "Status")[0], "ok")
        self.assert_keeps(roots, BACKGROUND)


class Levels(UsersCase):
    """The visibility of an app, with real trees, cgroups and terminals."""

    def shown(self, program, shown, uid=None, holder=":1.1"):
        return self.users("SetShown", "usus", uid or self.ALICE, holder, program.pid, shown)

    def app(self, name="window"):
        """Starts a process with a window, a child without a rule and a child with one."""
        app = self.puppet(name)
        app.tell(0, "become", self.ALICE)
        return app, self.spawned(app, "helper", self.alias("helper")), self.spawned(app, "app", self.alias("app"))

    def explained(self, tid):
        return self.current.ask("explain", str(tid)).stdout

    @staticmethod
    def visibility(rule, qos):
        """Returns the visibility that top shows for the rule's living tasks in this class."""
        apps = json.loads(schedqos("top", "--json").stdout)["apps"]
        found, = (app["visibility"] for app in apps if app.get("name") == rule and app["class"] == qos and app["tasks"])
        return found

    def test_visibility_covers_the_process_tree_of_an_app(self):
        app, helper, named = self.app("calm")
        self.assert_carries(app, BACKGROUND)
        for word in ("focused", "played"):
            self.assertEqual(self.shown(app, word), ["ok"])
            self.assert_keeps(app, INITIATED)
            self.assert_keeps(helper, INITIATED)
            self.assertIn("its app has the focus", self.explained(helper))
            self.assertEqual(self.visibility("calm", INITIATED), "focused")
            self.assertEqual(self.current.status()["apps_focused"], 1)
            self.assertEqual(self.shown(app, "visible"), ["ok"])
            self.assert_keeps(app, BACKGROUND)
            self.assert_keeps(helper, DEFAULT)
        self.shown(app, "hidden")
        self.assert_keeps(named, UTILITY)
        self.assert_keeps(app, BACKGROUND)
        self.assertIn('"hidden": "keep" in its rule prevents that', self.explained(named))
        self.assertEqual(self.visibility("app", UTILITY), "hidden")
        status = self.current.status()
        self.assertEqual([status[key] for key in ("apps_focused", "apps_hidden", "overrides")], [0, 1, 0])
        born = self.spawned(app, "app", self.alias("app"))
        self.assert_carries(born, UTILITY)
        self.assertEqual(self.shown(app, "focused"), ["ok"])
        for tid in (born, named, app.pid, helper):
            self.assert_keeps(tid, INITIATED)
        app.end()
        self.assert_carries(helper, DEFAULT)
        self.assertEqual(self.current.status()["apps_focused"], 0)

    def test_a_program_that_an_app_started_can_be_an_app_of_its_own(self):
        """It is an app of its own once its visibility is reported, not before."""
        app, _, named = self.app()
        self.assert_carries(named, INITIATED)
        self.shown(app, "hidden")
        self.assert_keeps(named, UTILITY)
        self.users("SetShown", "usus", self.ALICE, ":1.1", named, "visible")
        self.assert_keeps(named, INITIATED)
        self.shown(app, "focused")
        self.shown(app, "hidden")
        self.assert_keeps(named, INITIATED)

    def test_visibility_covers_the_cgroup_of_an_app(self):
        """Everything in the cgroup belongs to the app, orphans included, and nothing else does."""
        groups = self.new_cgroups("user.slice")
        top = "user-%d.slice/user@%d.service" % (self.ALICE, self.ALICE)
        app, helper, _ = self.app()
        orphan, outside = self.sleeper("other", user=self.ALICE), self.sleeper("other", user=self.ALICE)
        roots, bobs = self.sleeper("other"), self.sleeper("other", user=self.BOB)
        for pid in (app.pid, orphan.pid, roots.pid, bobs.pid):
            groups.move(pid, top + "/app.slice/app-x.scope")
        groups.move(outside.pid, top + "/app.slice/app-x2.scope")
        self.shown(app, "focused")
        self.assert_keeps(orphan, INITIATED)
        # A child that has been moved elsewhere is an app of its own.
        for tid in (helper, outside.pid, roots.pid, bobs.pid):
            self.assert_keeps(tid, DEFAULT)
        groups.move(app.pid, top + "/session.slice/shell.service")
        self.shown(app, "focused")
        for tid in (app.pid, orphan.pid):
            self.assert_keeps(tid, DEFAULT)

    def test_visibility_does_not_cover_programs_in_a_terminal(self):
        """A build in a terminal keeps its class when the window is hidden: its shell has a terminal of its own."""
        groups = self.new_cgroups("user.slice")
        terminal = self.puppet("window")
        groups.move(terminal.pid, "user-%d.slice/user@%d.service/app.slice/term.scope" % (self.ALICE, self.ALICE))
        terminal.tell(0, "become", self.ALICE)
        shell = terminal.tell(0, "in_terminal", [self.path("app"), "1000"], self.alias("app"))
        other = terminal.tell(0, "in_terminal", ["tool", "1000"], self.alias("app"))
        for _ in range(2):
            self.assertEqual(self.shown(terminal, "focused"), ["ok"])
            self.assert_keeps(terminal, INITIATED)
            self.assert_keeps(other, DEFAULT)
            self.assertEqual(self.shown(terminal, "hidden"), ["ok"])
            self.assert_keeps(terminal, DEFAULT)
            self.assert_keeps(shell, INITIATED)
        born = terminal.tell(0, "in_terminal", [self.path("app"), "1000"], self.alias("app"))
        self.assert_carries(born, INITIATED)

    def test_visibility_is_accepted_only_for_one_s_own_processes(self):
        bobs, app = self.sleeper("calm", user=self.BOB), self.sleeper("calm", user=self.ALICE)
        self.assert_refused(self.shown(bobs, "focused"), NOT_YOURS)
        self.assert_refused(self.shown(app, "seen"), FAILED)
        apps = [self.sleeper("calm", user=self.ALICE) for _ in range(9)]
        for program in apps[:8]:
            self.assertEqual(self.shown(program, "focused"), ["ok"])
        self.assert_refused(self.shown(apps[8], "focused"), FAILED, "too many")
        self.assertEqual(self.shown(apps[0], "hidden"), ["ok"])
        self.assertEqual(self.shown(apps[8], "focused", holder=":1.2"), ["ok"])
        # The visibility ends when its reporter leaves the bus.
        self.users("Drop", "s", ":1.2")
        self.assert_keeps(apps[8], BACKGROUND)
        self.hang_up(self.bridge)
        wait_for(lambda: self.current.status()["apps_focused"] == 0, "the end of the bridge's connection")
        self.assert_keeps(apps[1], BACKGROUND)

    def test_visible_apps_do_not_count_towards_the_limit(self):
        windows, app = [self.sleeper("calm", user=self.ALICE) for _ in range(66)], self.sleeper("app", user=self.ALICE)
        self.assertEqual(self.shown(windows[0], "focused"), ["ok"])
        for window in windows[1:]:
            self.assertEqual(self.shown(window, "visible"), ["ok"])
        self.assert_carries(windows[0], INITIATED)
        self.assertEqual(self.shown(windows[0], "visible"), ["ok"])
        self.assert_keeps(windows[0], BACKGROUND)
        self.assertEqual(self.limit(self.ALICE, app, UTILITY), ["ok", "1"])
        self.assert_keeps(app, UTILITY)
