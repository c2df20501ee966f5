# SPDX-License-Identifier: GPL-2.0-only
"""Interfaces on the system bus: who may call what, and how calls end."""

import json
import os
import re
import signal
import time
import xml.etree.ElementTree

from attributes import BACKGROUND, DEFAULT, INITIATED, UI
from bridging import (ALICE, BOB, BRIDGE, CAROL, CONFIG, DAVE, DENIED, LIMITS, NAME, NOT_SUPPORTED, NOT_YOURS, NO_DAEMON, PASSWORD,
                      PATH, SYSTEM76, SYSTEM76_PATH, Bridge)
from daemon import TOP
from tasks import state
from waiting import PATIENCE, wait_for


class Interface(Bridge):
    """Calls that need no process of the user's."""

    def test_the_interface_is_that_of_the_manual(self):
        """Methods with their arguments and properties are those of org.schedqos1(5)."""
        self.start_all()
        text = self.run_as(BOB, "busctl", "introspect", "--xml-interface", NAME, PATH).stdout
        interface, = [each for each in xml.etree.ElementTree.fromstring(text) if each.get("name") == NAME]
        methods = {(method.get("name"), *(" ".join([each.get("direction"), each.get("type"), each.get("name")]) for each in method
                                          if each.tag == "arg")) for method in interface if method.tag == "method"}
        properties = {each.get("name") for each in interface if each.tag == "property"}
        with open(os.path.join(TOP, "src/man/org.schedqos1.5"), encoding="utf-8") as file:
            page = file.read()
        lines = re.findall(r"^\.It Fn (\w+)(.*?)(?: No \\\(-> Fa (.*))?$", page, re.M)
        written = {(name, *("in " + each for each in re.findall(r'"(.*?)"', before)),
                    *("out " + each for each in re.findall(r'"(.*?)"', after))) for name, before, after in lines}
        self.assertEqual(methods, written)
        self.assertEqual(properties, {"InterfaceVersion", "Version", "SchedProfile", "Mapping", "Focus"})
        self.assertTrue(all(".It Sy %s\n" % name in page for name in properties))

    def test_the_bus_lets_no_other_interface_through(self):
        self.start_all()
        for member in ("org.freedesktop.DBus.ObjectManager.GetManagedObjects", "org.schedqos1.Overrides.Drop", "none.of.Ours"):
            interface, _, method = member.rpartition(".")
            self.assert_refused(self.ask(self.asker(ALICE), method, interface=interface), DENIED)
        # No other user can become the bridge.
        result = self.run_as(ALICE, "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                             "RequestName", "su", SYSTEM76, "0")
        self.assertNotEqual(result.returncode, 0)

    def test_polkit_decides(self):
        self.start_all()
        alice, bob, root = self.asker(ALICE), self.asker(BOB), self.asker(0)
        for method, value in (("SetSchedProfile", "qos"), ("SetMapping", "announcement"), ("Reload", None)):
            words = [method, *(["s", value] if value else [])]
            self.assert_refused(self.ask(alice, *words), PASSWORD)
            self.assert_refused(self.ask(bob, *words), PASSWORD)
        for own in (("LimitCgroup", "ssb", "/", BACKGROUND, "true"), ("LiftCgroup", "s", "/")):
            self.assert_refused(self.ask(bob, *own), PASSWORD)
            # Root is refused, because root asks the daemon itself.
            self.assert_refused(self.ask(root, *own), NOT_SUPPORTED)
        self.assert_refused(self.ask(root, "Explain", "u", 1), NOT_SUPPORTED)
        self.assert_refused(self.ask(bob, "SetShown", "us", os.getpid(), "focused"), DENIED, "polkit does not allow this")
        # Without polkit only root is allowed.
        self.polkit.end()
        wait_for(lambda: not self.has_name("org.freedesktop.PolicyKit1"), "no polkit")
        self.assert_refused(self.ask(alice, "Reload"), DENIED, "polkit does not run")
        self.assertEqual(self.ask(root, "Reload")[0], "ok")
        self.assertEqual(self.ask(alice, "Status")[0], "ok")
        self.end_bridge()

    def test_properties_follow_the_daemon(self):
        alice, root = self.asker(ALICE), self.asker(0)
        self.start_bridge()
        # The bridge asks once more before it ends.
        os.kill(self.bridge.pid, signal.SIGSTOP)
        daemon = self.daemon({"schedqos": {"sched_profile": None}}, prefix=self.inside)
        os.kill(self.bridge.pid, signal.SIGCONT)

        def has(name, value):
            answer = self.ask(alice, "Get", "ss", NAME, name, interface="org.freedesktop.DBus.Properties")
            return answer == ["ok", *([value] if value else [""])]
        wait_for(lambda: has("Version", daemon.status()["version"]), "the version")
        self.assertEqual(self.ask(alice, "PropertiesChanged", interface="wait"), ["ok"])
        # Alice has asked often by now, and may have to wait for her share of calls.
        wait_for(lambda: has("SchedProfile", ""), "no profile")
        daemon.configure({"schedqos": {"sched_profile": None, "user_weights": {"a.slice": 7}}})
        self.assertEqual(self.ask(root, "Reload")[0], "ok")
        self.assertEqual(self.ask(alice, "Reloaded", interface="wait"), ["ok"])
        weights = self.run_as(BOB, "busctl", "--json=short", "call", NAME, PATH, NAME, "GetUserWeights").stdout
        self.assertEqual(json.loads(weights)["data"], [[["a.slice", 7, False]]])
        daemon.configure({"schedqos": {"sched_profile": "none-such", "mapping": "announcement"}})
        self.assert_refused(self.ask(root, "Reload"), NAME + ".Error.Config")
        wait_for(lambda: has("Mapping", daemon.status()["mapping"]), "the mapping")
        daemon.stop()
        self.assertEqual(self.bridge.popen.wait(PATIENCE), 1, self.logs())
        self.assertIn("the daemon has ended", self.logs())

    def test_a_task_of_others_is_not_explained(self):
        self.start_all()
        alice, bob = self.asker(ALICE), self.asker(BOB)
        app = self.sleeper("app", user=ALICE)
        self.assert_carries(app, INITIATED)
        self.assertEqual(self.ask(alice, "Explain", "u", app.pid)[0], "ok")
        setuid = self.setuid_program(BOB)
        for task in (app.pid, setuid.pid, 1, self.current.pid, 2):
            self.assert_refused(self.ask(bob, "Explain", "u", task), NOT_YOURS)
        self.assert_refused(self.ask(bob, "Explain", "u", app.pid), NOT_YOURS, "not a task of yours")
        self.assert_refused(self.ask(bob, "Explain", "u", 2 ** 32 - 1), NAME + ".Error.NoTask")
        self.assertIn(INITIATED, self.verb(ALICE, "explain", app.pid))
        self.assertIn("app", self.verb(BOB, "list"))
        listed = json.loads(self.run_as(BOB, "busctl", "--json=short", "call", NAME, PATH, NAME, "ListTasks").stdout)["data"]
        self.assertIn("app", listed[2])
        self.assertIn("tasks in", self.verb(BOB, "status"))
        self.assertIn("QOS_", self.verb(BOB, "top"))
        self.assertIn("password", self.verb(BOB, "reload", status=1))
        self.assertIn("only root", self.verb(BOB, "explain", "--name", "app", status=1))

    def test_patterns_of_a_private_file_are_left_out(self):
        self.start_all(config={"ap[p]": {"qos": INITIATED}, "App": {"qos": BACKGROUND}})
        app = self.sleeper("app", user=ALICE)
        self.assert_carries(app, INITIATED)

        def shown():
            return [self.verb(ALICE, *verb) for verb in (("explain", app.pid), ("list", "--class", INITIATED), ("top",))]

        def status():
            return self.verb(ALICE, "status")

        for said in shown():
            self.assertIn("ap[p]", said)
        os.chmod(self.current.config, 0o600)
        self.assertEqual(self.current.reload().returncode, 0)
        self.current.sync()
        for said in shown():
            self.assertIn("(only root may read this)", said)
            for hidden in ("ap[p]", "App", self.current.config):
                self.assertNotIn(hidden, said)
        self.assertIn("\"ap[p]\" at " + self.current.config, self.current.ask("explain", str(app.pid)).stdout)
        with open(self.current.config, "w", encoding="utf-8") as config:
            config.write('{ "secret-tool": { "qos": "QOS_SECRET" } }')
        self.assertNotEqual(self.current.reload().returncode, 0)
        self.assertIn("secret-tool", self.current.ask("status").stdout)
        self.assertNotIn("ecret", status())
        self.assertIn("the configuration has errors", status())

    def test_lists_are_refused_where_proc_hides_others(self):
        """Tasks of others are refused if the administrator mounts /proc with hidepid."""
        self.daemon(CONFIG, prefix=self.inside)
        self.start_bridge(prefix=["unshare", "-m", "sh", "-ec", 'mount -t proc -o hidepid=2 proc /proc; exec "$@"', "sh"])
        alice, root, app = self.asker(ALICE), self.asker(0), self.sleeper("app", user=ALICE)
        self.assert_refused(self.ask(alice, "ListTasks"), DENIED, "hides other users'")
        self.assertEqual(self.ask(alice, "Explain", "u", app.pid)[0], "ok")
        self.assert_refused(self.ask(alice, "Status"), DENIED, "hides other users'")
        self.assertEqual(self.ask(root, "ListTasks")[0], "ok")
        self.assertEqual(self.ask(root, "Status")[0], "ok")
        self.end_bridge()

    @staticmethod
    def send_many(asker, count, method, interface=NAME):
        asker.stdin.write("many %d %s %s\n" % (count, interface, method))
        asker.stdin.flush()

    @staticmethod
    def answers(asker, count):
        return [asker.stdout.readline().rstrip("\n").split("\t")[:3] for _ in range(count)]

    def test_a_flood_by_one_user_does_not_stop_another(self):
        """Calls that sd-bus answers itself count, too."""
        self.start_all()
        calls = (("Status", NAME), ("Ping", "org.freedesktop.DBus.Peer"), ("Introspect", "org.freedesktop.DBus.Introspectable"))
        for uid, call in zip((ALICE, BOB, CAROL), calls):
            askers = [self.asker(uid) for _ in range(12)]
            os.kill(self.bridge.pid, signal.SIGSTOP)
            for asker in askers:
                self.send_many(asker, 100, *call)
            began = time.monotonic()
            os.kill(self.bridge.pid, signal.SIGCONT)
            answers = [answer for asker in askers for answer in self.answers(asker, 100)]
            # A user may have 400 messages at once and 100 a second: that is all of them if the answers take 8 s.
            if time.monotonic() - began < 7:
                self.assertIn(["error", LIMITS, "too many calls: try again in a few seconds"], answers, call)
            self.assertIn("ok", [answer[0] for answer in answers])
        self.assertEqual(self.ask(self.asker(DAVE), "Status")[0], "ok")
        self.end_bridge()

    def test_calls_wait_for_those_of_the_same_user(self):
        self.start_all()
        alice, bob = self.asker(ALICE), self.asker(BOB)
        os.kill(self.current.pid, signal.SIGSTOP)
        for asker in (alice, bob):
            self.send_many(asker, 17, "Status")
            refused, = self.answers(asker, 1)
            self.assertEqual(refused[:2], ["error", LIMITS])
            self.assertIn("too many unanswered calls", refused[2])
        os.kill(self.current.pid, signal.SIGCONT)
        for asker in (alice, bob):
            self.assertEqual([answer[0] for answer in self.answers(asker, 16)], ["ok"] * 16)
        self.end_bridge()

    def test_the_bridge_starts_beside_a_daemon_that_hangs(self):
        daemon = self.daemon(CONFIG, prefix=self.inside)
        os.kill(daemon.pid, signal.SIGSTOP)
        try:
            self.start_bridge()
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        self.assertEqual(self.ask(self.asker(ALICE), "Status")[0], "ok")
        self.end_bridge()

    def test_no_descriptor_gets_through(self):
        """Closing a descriptor could wait forever for the process that serves its file."""
        self.start_all()
        alice = self.asker(ALICE)
        for method in ("Status", "SetClass"):
            self.assert_refused(self.ask(alice, method, "h", "/dev/null"), NOT_SUPPORTED, "descriptors")
        self.end_bridge()

    def test_the_bus_starts_the_bridge_which_ends_without_a_daemon_or_a_bus(self):
        self.let_the_bus_start_it()
        self.assert_refused(self.ask(self.asker(ALICE), "Status"), NO_DAEMON, "no daemon runs")
        wait_for(lambda: not self.has_name(NAME), "the end of a bridge without a daemon")
        self.daemon(CONFIG, prefix=self.inside)
        self.assertIn("tasks in", self.verb(ALICE, "status"))
        pid = self.bridge_pid()
        self.assertEqual(os.stat("/proc/%d" % pid).st_uid, BRIDGE)
        self.bus.end()
        wait_for(lambda: state(pid) in (None, "Z"), "the end of the bridge")

    def test_without_a_bridge_verbs_name_what_is_missing(self):
        self.daemon(CONFIG, prefix=self.inside)
        for verb in (("list",), ("set", os.getpid(), BACKGROUND), ("limit", os.getpid(), BACKGROUND), ("explain", os.getpid())):
            self.assertIn("schedqos-desktop", self.verb(ALICE, *verb, status=1))

    def test_the_name_of_system76_scheduler_takes_a_policy_of_its_own(self):
        """
        The administrator has to install it: where system76-scheduler runs, our policy would open it to every user.
        """
        self.start_all("--system76")
        self.assertFalse(self.has_name(SYSTEM76))
        wait_for(lambda: "cannot take the name %s on the system bus" % SYSTEM76 in self.logs(), self.logs)
        self.assertEqual(self.ask(self.asker(ALICE), "Status")[0], "ok")
        self.end_bridge()


class System76(Bridge):
    def make_namespace(self):
        """Adds the policy that the manual shows."""
        super().make_namespace()
        with open(os.path.join(TOP, "src/man/org.schedqos1.5"), encoding="utf-8") as file:
            policy, = re.findall(r"^<busconfig>$.*?^</busconfig>$", file.read(), re.M | re.S)
        self.write("conf/com.system76.Scheduler.conf", policy)

    def test_system76_s_foreground_process_gets_the_focus(self):
        self.start_all("--system76", config={"schedqos": {"focus": UI}})
        alice = self.asker(ALICE, SYSTEM76, SYSTEM76_PATH)
        first, second, bobs = (self.sleeper("window", user=user) for user in (ALICE, ALICE, BOB))

        def in_front(program):
            return self.ask(alice, "SetForegroundProcess", "u", program.pid, interface=SYSTEM76)
        self.assertEqual(in_front(first), ["ok"])
        self.assert_carries(first, UI)
        self.assertEqual(in_front(second), ["ok"])
        self.assert_carries(second, UI)
        self.assert_carries(first, DEFAULT)
        self.assert_refused(in_front(bobs), NOT_YOURS)
        self.assert_keeps(bobs, DEFAULT)
        self.assertEqual(in_front(first), ["ok"])
        self.hang_up(alice)
        self.assert_carries(first, DEFAULT)
        self.end_bridge()

    def test_system76_s_profiles_are_sched_profiles(self):
        self.start_all("--system76")
        alice = self.asker(ALICE, SYSTEM76, SYSTEM76_PATH)
        self.assertEqual(self.ask(alice, "SetCpuMode", "y", 3, interface=SYSTEM76), ["ok"])
        self.assert_refused(self.ask(alice, "SetCpuProfile", "s", "qos", interface=SYSTEM76), PASSWORD)
        self.assert_refused(self.ask(alice, "ReloadConfiguration", interface=SYSTEM76), PASSWORD)
        self.assertEqual(self.ask(self.asker(CAROL, SYSTEM76, SYSTEM76_PATH), "ReloadConfiguration", interface=SYSTEM76), ["ok"])
