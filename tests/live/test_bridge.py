# SPDX-License-Identifier: GPL-2.0-only
"""
The bridge on a system bus with our policy, a real polkit, and two ordinary users: it allows users exactly their own
tasks, ends what they hold when they leave, and survives hostile arguments. Everything runs in mount namespaces of its
own.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import xml.etree.ElementTree

from askers import AskerTest
from attributes import BACKGROUND, DEFAULT, INITIATED, UI, UTILITY
from daemon import SANITIZER_WORDS, SCHEDQOS, TOP, environment
from tasks import state
from waiting import PATIENCE, wait_for

DESKTOP = os.path.join(TOP, "systemd/desktop")
POLKITD = [path for path in ("/usr/lib/polkit-1/polkitd", "/usr/libexec/polkitd") if os.path.exists(path)]
BUS_CONFIG = "/usr/share/dbus-1/system.conf"
NAME, PATH = "org.schedqos1", "/org/schedqos1"
SYSTEM76, SYSTEM76_PATH = "com.system76.Scheduler", "/com/system76/Scheduler"
# Alice sits at the machine, Bob and Dave do not, and Carol knows the password.
BRIDGE, ALICE, BOB, CAROL, DAVE = range(54321, 54326)
USERS = {"schedqos": BRIDGE, "alice": ALICE, "bob": BOB, "carol": CAROL, "dave": DAVE}
DENIED, PASSWORD = "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
LIMITS, INVALID = "org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.InvalidArgs"
NOT_SUPPORTED = "org.freedesktop.DBus.Error.NotSupported"
NOT_YOURS, NO_DAEMON = NAME + ".Error.NotYours", NAME + ".Error.NoDaemon"
RULES = """polkit.addRule(function(action, subject) {
	polkit.log("dialog: " + action.lookup("request"));
	if (subject.user == "carol")
		return polkit.Result.YES;
	if (subject.user == "alice" && (action.id == "org.schedqos1.set-own" || action.id == "org.schedqos1.show"))
		return polkit.Result.YES;
});
"""
CONFIG = {"app": {"qos": INITIATED}, "slow": {"qos": BACKGROUND}}


class Bridge(AskerTest):
    INTERFACE = NAME
    PROGRAMS = ("bus", "polkit", "bridge")

    def setUp(self):
        super().setUp()
        missing = [tool for tool in ("dbus-daemon", "busctl", "setpriv") if not shutil.which(tool)]
        if missing or not POLKITD or not os.path.exists(BUS_CONFIG):
            self.skipTest("no %s" % ", ".join(missing or ["polkitd, or no configuration of a system bus"]))
        self.need(["unshare", "-m", "--user", "--propagation", "private"])
        self.bridge = None
        self.log = self.path("bridge.log")
        self.make_namespace()
        self.bus = self.start("bus", "dbus-daemon", "--nofork", "--nopidfile", "--config-file=" + self.path("bus.conf"))
        self.polkit = self.start("polkit", POLKITD[0])
        self.await_name("org.freedesktop.PolicyKit1")

    # ---- the machine ----

    def users(self, file, line):
        """Adds our users to the machine's."""
        with open("/etc/" + file, encoding="utf-8") as users:
            text = users.read()
        self.write("etc/" + file, text + "".join(line % {"name": name, "id": number} for name, number in USERS.items()))

    def make_namespace(self):
        self.users("passwd", "%(name)s:x:%(id)d:%(id)d::/:/bin/false\n")
        self.users("group", "%(name)s:x:%(id)d:\n")
        self.write("rules/10-test.rules", RULES)
        self.write("services/none", "")
        for kind in ("conf", "policy"):
            os.makedirs(self.path(kind))
            shutil.copy(os.path.join(DESKTOP, "org.schedqos1." + kind), self.path(kind))
        self.write("bus.conf", "<busconfig><include>%s</include><includedir>%s</includedir></busconfig>"
                   % (BUS_CONFIG, self.path("conf")))
        for folder in ("run", "no-rules"):
            os.mkdir(self.path(folder))
        if not os.path.isdir("/run/dbus"):
            os.mkdir("/run/dbus")
            self.addCleanup(os.rmdir, "/run/dbus")
        mounts = {"etc/passwd": "/etc/passwd", "etc/group": "/etc/group", "run": "/run/dbus", "rules": "/etc/polkit-1/rules.d",
                  "policy": "/usr/share/polkit-1/actions", "services": "/usr/share/dbus-1/system-services",
                  "no-rules": "/usr/share/polkit-1/rules.d"}
        script = "".join("mount --bind %s %s\n" % (self.path(source), target) for source, target in mounts.items()
                         if os.path.exists(target))
        holder = self.run_program(["unshare", "-m", "--propagation", "private", "sh", "-ec", script + "echo ready\nexec sleep 1000"],
                                  stdout=subprocess.PIPE)
        self.assertEqual(holder.popen.stdout.readline(), b"ready\n")
        self.inside = ["nsenter", "-m", "-t", str(holder.pid), "--"]

    def start(self, name, *command, **options):
        with open(self.path(name + ".log"), "ab") as log:
            program = self.run_program([*self.inside, *command], stdout=log, stderr=log, env=environment(), **options)
        if name == "bus":
            # The socket exists shortly before all users may connect.
            path = self.path("run/system_bus_socket")
            wait_for(lambda: os.path.exists(path) and os.stat(path).st_mode & 0o002, "the bus")
        return program

    def run_as(self, uid, *command, **options):
        return subprocess.run([*self.inside, *self.identity(uid), *command], env=environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=PATIENCE * 2,
                              check=False, **options)

    def ask_bus(self, method, name):
        return self.run_as(0, "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                           method, "s", name).stdout

    def has_name(self, name):
        return "true" in self.ask_bus("NameHasOwner", name)

    def await_name(self, name):
        wait_for(lambda: self.has_name(name), lambda: "%s on the bus\n%s" % (name, self.logs()))

    def logs(self):
        text = ""
        for name in self.PROGRAMS:
            if os.path.exists(self.path(name + ".log")):
                with open(self.path(name + ".log"), encoding="utf-8", errors="backslashreplace") as file:
                    text += file.read()
        return text

    # ---- what is tested ----

    def start_bridge(self, *args, prefix=()):
        """Starts the bridge in a user namespace without other users, as PrivateUsers= in its unit does."""
        own = ["unshare", "--user", "sh", "-ec", 'read line; exec "$@"', "sh"]
        self.bridge = self.start("bridge", *prefix, *own, *self.identity(BRIDGE), SCHEDQOS, "bridge",
                                 *args, stdin=subprocess.PIPE)
        self.map_users(self.bridge)
        self.await_name(NAME)

    def let_the_bus_start_it(self):
        """Lets the bus start the bridge, as on a machine without systemd."""
        with open(os.path.join(DESKTOP, "org.schedqos1.service"), encoding="ascii") as file:
            text = file.read()
        self.assertIn("\nSystemdService=schedqos-bridge.service\n", text)
        self.write("services/org.schedqos1.service", re.sub(r"\nSystemdService=.*", "", text.replace("/usr/bin/schedqos", SCHEDQOS)))

    @staticmethod
    def map_users(program):
        """Maps the users of the namespace of PrivateUsers=, in which other users have no number."""
        folder = "/proc/%d/" % program.pid
        wait_for(lambda: os.readlink(folder + "ns/user") != os.readlink("/proc/self/ns/user"), "the user namespace")
        for name in ("uid_map", "gid_map"):
            with open(folder + name, "w", encoding="ascii") as file:
                file.write("0 0 1\n%d %d 1\n" % (BRIDGE, BRIDGE))
        program.popen.stdin.write(b"\n")
        program.popen.stdin.flush()

    def bridge_pid(self):
        """Returns the bridge's pid; 0 if it does not run."""
        said = self.ask_bus("GetConnectionUnixProcessID", NAME)
        return int(said.split()[1]) if said else 0

    def start_all(self, *args, config=None):
        self.daemon(CONFIG if config is None else config, prefix=self.inside)
        self.start_bridge(*args)

    def end_bridge(self):
        """Stops the bridge; its log must show no loss and no error."""
        self.bridge.popen.terminate()
        self.assertEqual(self.bridge.popen.wait(PATIENCE), 0, self.logs())

    def tearDown(self):
        super().tearDown()
        self.assertFalse([word for word in SANITIZER_WORDS if word in self.logs()], self.logs())

    def asker(self, uid, name=NAME, path=PATH, prefix=()):
        """Returns a connection of that user's, for calls."""
        asker = self.start_asker("system", name, path, prefix=[*self.inside, *prefix, *self.identity(uid)])
        self.assertEqual(asker.state, "ready")
        return asker

    def verb(self, uid, *args, status=0):
        """Returns the output of a verb that the user runs."""
        result = self.run_as(uid, SCHEDQOS, *map(str, args))
        self.assertEqual(result.returncode, status, result.stderr + self.logs())
        return result.stdout + result.stderr

    def setuid_program(self, user):
        path = self.copy("setuid-app")
        os.chmod(path, 0o4755)
        program = self.run_program([path, "1000"], user=user)
        with open("/proc/%d/status" % program.pid, encoding="ascii") as status:
            self.assertIn("Uid:\t%d\t0\t0\t0\n" % user, status.read())
        return program


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
        self.assertTrue(has("SchedProfile", ""))
        daemon.configure({"schedqos": {"sched_profile": None, "user_weights": {"a.slice": 7}}})
        self.assertEqual(self.ask(root, "Reload")[0], "ok")
        self.assertEqual(self.ask(alice, "Reloaded", interface="wait"), ["ok"])
        weights = self.run_as(BOB, "busctl", "--json=short", "call", NAME, PATH, NAME, "GetUserWeights").stdout
        self.assertEqual(json.loads(weights)["data"], [[["a.slice", 7, False]]])
        daemon.configure({"schedqos": {"sched_profile": "none-such", "mapping": "announcement"}})
        self.assert_refused(self.ask(root, "Reload"), NAME + ".Error.Config")
        self.assertTrue(has("Mapping", daemon.status()["mapping"]))
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
            os.kill(self.bridge.pid, signal.SIGCONT)
            answers = [answer for asker in askers for answer in self.answers(asker, 100)]
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


class Own(Bridge):
    """Classes and limits for a user's own processes."""

    def test_a_class_is_in_force_until_it_ends(self):
        self.start_all()
        app = self.sleeper("app", user=ALICE)
        self.assert_carries(app, INITIATED)
        self.verb(ALICE, "set", app.pid, BACKGROUND)
        self.assert_carries(app, BACKGROUND)
        self.assertIn("at run time", self.verb(ALICE, "explain", app.pid))
        # A class with keep outlasts the bridge.
        self.end_bridge()
        self.assert_keeps(app, BACKGROUND)
        self.start_bridge()
        self.verb(ALICE, "reset", app.pid)
        self.assert_carries(app, INITIATED)
        self.assertIn("nobody has set", self.verb(ALICE, "reset", app.pid, status=1))
        self.assertIn("did you mean", self.verb(ALICE, "set", app.pid, "QOS_BACKGRUND", status=2))
        self.end_bridge()

    def test_a_class_above_the_rules_takes_a_password(self):
        self.start_all()
        for user, status, becomes in ((ALICE, 1, BACKGROUND), (CAROL, 0, UI)):
            slow = self.sleeper("slow", user=user)
            self.assert_carries(slow, BACKGROUND)
            self.verb(user, "set", slow.pid, UI, status=status)
            self.assert_keeps(slow, becomes)

    def test_polkit_s_dialog_names_program_and_class(self):
        """polkit's dialog shows them, and a program's name cannot pretend to be more than a name."""
        self.start_all()
        app = self.sleeper("app", executable=self.alias("<b>a\033), x"), user=BOB)
        asker = self.asker(BOB)
        for words, said in ((("SetClass", "usbb", app.pid, BACKGROUND, "true", "true"),
                             "SetClass, process %d (?b?a??? x), %s" % (app.pid, BACKGROUND)),
                            (("SetClass", "usbb", 2 ** 32 - 1, "$(x)" * 100, "true", "true"),
                             "SetClass, process 4294967295, " + "??x?" * 16),
                            (("LiftCgroup", "s", "/a/b"), "LiftCgroup, /a/b"),
                            (("Reload",), "Reload")):
            self.assert_refused(self.ask(asker, *words), PASSWORD)
            wait_for(lambda: "dialog: %s\n" % said in self.logs(), lambda: said + "\n" + self.logs())

    def test_overrides_end_with_the_program_that_made_them(self):
        self.start_all()
        app, other = self.sleeper("app", user=ALICE), self.sleeper("app", user=ALICE)
        alice = self.asker(ALICE)
        self.assertEqual(self.ask(alice, "SetClass", "usbb", app.pid, UTILITY, "false", "false")[:2], ["ok", UTILITY])
        self.assertEqual(self.ask(self.asker(ALICE), "LimitProcess", "usb", other.pid, BACKGROUND, "true"), ["ok", "1"])
        self.assert_carries(app, UTILITY)
        self.hang_up(alice)
        self.assert_carries(app, INITIATED)
        self.assert_keeps(other, BACKGROUND)
        self.assertEqual(self.ask(self.asker(ALICE), "LiftProcess", "u", other.pid), ["ok", "1"])
        self.assert_carries(other, INITIATED)

    def test_overrides_end_with_a_killed_bridge(self):
        """The bridge is killed at several moments of a call."""
        self.start_all()
        apps = [self.sleeper("app", user=ALICE) for _ in range(8)]
        for answers in range(len(apps) + 1):
            askers = [self.asker(ALICE) for _ in apps]
            for asker, app in zip(askers, apps):
                asker.stdin.write("%s SetClass usbb %d %s false false\n" % (NAME, app.pid, UTILITY))
                asker.stdin.flush()
            for asker in askers[:answers]:
                # Any answer will do: the test is about overrides that are left.
                asker.stdout.readline()
            self.bridge.end()
            for asker in askers:
                self.hang_up(asker)
            for app in apps:
                self.assert_carries(app, INITIATED)
            self.start_bridge()
        self.assertEqual(self.current.status()["overrides"], 0)

    def test_limit_returns_when_the_process_ends(self):
        self.start_all()
        app = self.sleeper("app", user=ALICE)
        limit = self.run_program([*self.inside, *self.identity(ALICE), SCHEDQOS, "limit", str(app.pid), BACKGROUND],
                                 stderr=subprocess.PIPE, env=environment())
        self.assertIn(b"limited", limit.popen.stderr.readline())
        self.assert_carries(app, BACKGROUND)
        app.end()
        self.assertEqual(limit.popen.wait(PATIENCE), 0)

    def test_classes_of_a_user_s_units_are_set(self):
        groups = self.new_cgroups("user.slice")
        self.start_all()
        alice, own, path = self.asker(ALICE), self.sleeper("own", user=ALICE), "user-%d.slice/own.service" % ALICE
        groups.move(own.pid, path)
        self.assert_carries(own, DEFAULT)
        said = ("SetUnitClasses", "a(sss)", groups.path(path), BACKGROUND)
        self.assert_refused(self.ask(self.asker(BOB), *said, "own:2"), PASSWORD)
        self.assert_refused(self.ask(self.asker(CAROL), *said, "own:2"), NOT_YOURS)
        for place in ("huge", "x" + " / x x" * 4900):
            self.assert_refused(self.ask(alice, *said, place), INVALID)
        self.assert_keeps(own, DEFAULT)
        self.assertEqual(self.ask(alice, *said, "\033[2Jown:2"), ["ok"])
        self.assert_keeps(own, BACKGROUND)
        self.assertIn("its unit own.service says Class=%s (\\x1b[2Jown:2)" % BACKGROUND, self.verb(ALICE, "explain", own.pid))
        self.hang_up(alice)
        self.assert_carries(own, DEFAULT)

    def test_requests_of_root_have_priority(self):
        self.start_all()
        app = self.sleeper("app", user=CAROL)
        self.verb(0, "set", app.pid, BACKGROUND)
        self.assertIn("limited to " + BACKGROUND, self.verb(CAROL, "set", app.pid, UI))
        self.assert_keeps(app, BACKGROUND)
        self.verb(CAROL, "reset", app.pid)
        self.verb(CAROL, "reset", app.pid, status=1)
        self.assert_keeps(app, BACKGROUND)

    # ---- hostile requests ----

    def test_processes_and_cgroups_of_others_are_refused(self):
        self.start_all()
        carol, bobs = self.asker(CAROL), self.sleeper("app", user=BOB)
        self.assert_carries(bobs, INITIATED)
        setuid = self.setuid_program(CAROL)
        for pid in (bobs.pid, setuid.pid, 1, os.getpid(), self.bridge.pid, self.current.pid):
            for call in (("SetClass", "usbb", pid, BACKGROUND, "true", "true"), ("LimitProcess", "usb", pid, BACKGROUND, "true"),
                         ("SetShown", "us", pid, "hidden"), ("SetShown", "us", pid, "focused")):
                self.assert_refused(self.ask(carol, *call), NOT_YOURS)
            for call in (("Reset", "u", pid), ("LiftProcess", "u", pid)):
                self.assertIn(self.ask(carol, *call)[1], (NOT_YOURS, "0"))
        for cgroup in ("/", "/user.slice", "/user.slice/user-%d.slice" % BOB, "/user.slice/user-%d.slice/.." % CAROL, "none"):
            self.assertEqual(self.ask(carol, "LimitCgroup", "ssb", cgroup, BACKGROUND, "true")[0], "error", cgroup)
        self.assert_keeps(bobs, INITIATED)

    def test_an_id_without_a_process_has_no_effect(self):
        """0 names a process only for root's own client."""
        self.start_all()
        carol = self.asker(CAROL)
        for pid in (0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1):
            for call in (("SetClass", "usbb", pid, UTILITY, "true", "true"), ("SetShown", "us", pid, "hidden"),
                         ("LimitProcess", "usb", pid, UTILITY, "true"), ("Reset", "u", pid), ("LiftProcess", "u", pid)):
                self.assertIn(self.ask(carol, *call)[1], (NAME + ".Error.Failed", "0"), call)

    def test_long_texts_are_refused(self):
        """
        Long texts are refused, because they would stay in memory while polkit is asked, and be copied to the daemon.
        """
        self.start_all()
        carol, own = self.asker(CAROL), self.sleeper("app", user=CAROL)
        for call in (("SetClass", "usbb", own.pid, "huge", "true", "true"), ("LimitProcess", "usb", own.pid, "huge", "true"),
                     ("LimitCgroup", "ssb", "huge", UTILITY, "true"), ("LiftCgroup", "s", "huge"), ("SetShown", "us", own.pid, "huge"),
                     ("SetMapping", "s", "huge")):
            self.assert_refused(self.ask(carol, *call), INVALID, "long")
        self.end_bridge()

    def test_the_name_of_system76_scheduler_takes_a_policy_of_its_own(self):
        """
        The administrator has to install it: where system76-scheduler runs, our policy would open it to every user.
        """
        self.start_all("--system76")
        self.assertFalse(self.has_name(SYSTEM76))
        wait_for(lambda: "cannot take the name %s on the system bus" % SYSTEM76 in self.logs(), self.logs)
        self.assertEqual(self.ask(self.asker(ALICE), "Status")[0], "ok")
        self.end_bridge()


class Shown(Bridge):
    def test_visibility_raises_and_lowers(self):
        self.start_all(config={"schedqos": {"focus": UI}})
        alice, window = self.asker(ALICE), self.sleeper("window", user=ALICE)
        focus = self.ask(alice, "Get", "ss", NAME, "Focus", interface="org.freedesktop.DBus.Properties")
        self.assertEqual(focus, ["ok", UI])
        for shown, becomes in (("focused", UI), ("hidden", UTILITY), ("visible", DEFAULT), ("played", UI)):
            self.assertEqual(self.ask(alice, "SetShown", "us", window.pid, shown), ["ok"], shown)
            self.assert_carries(window, becomes)
        self.assertEqual(self.ask(alice, "SetShown", "us", window.pid, "nowhere")[0], "error")
        self.hang_up(alice)
        self.assert_carries(window, DEFAULT)

    def test_polkit_is_asked_once_and_when_something_changes(self):
        self.start_all()
        window, alice = self.sleeper("window", user=ALICE), self.asker(ALICE)

        def show():
            return self.ask(alice, "SetShown", "us", window.pid, "focused")
        self.assertEqual(show(), ["ok"])
        os.kill(self.polkit.pid, signal.SIGSTOP)
        self.assertEqual(show(), ["ok"])
        os.kill(self.polkit.pid, signal.SIGCONT)
        self.write("rules/10-test.rules", RULES.replace("show", "nothing"))
        wait_for(lambda: show()[:2] == ["error", DENIED], self.logs)
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
