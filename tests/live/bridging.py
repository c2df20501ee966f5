# SPDX-License-Identifier: GPL-2.0-only
"""
The bridge on a system bus with our policy, a real polkit, and ordinary users. Everything runs in mount namespaces of its
own.
"""

import os
import re
import shutil
import subprocess

from askers import AskerTest
from attributes import BACKGROUND, INITIATED
from daemon import SANITIZER_WORDS, SCHEDQOS, TOP, environment
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
        self.need_set_user_id()
        path = self.copy("setuid-app")
        os.chmod(path, 0o4755)
        program = self.run_program([path, "1000"], user=user)
        # The exec closes the pipe that Popen waits for before it changes the ids.
        wait_for(lambda: self.uids(program.pid) == [user, 0, 0, 0], "the exec of a set-user-ID program")
        return program

    @staticmethod
    def uids(pid):
        with open("/proc/%d/status" % pid, encoding="ascii") as status:
            return [int(uid) for line in status if line.startswith("Uid:") for uid in line.split()[1:]]
