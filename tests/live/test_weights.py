# SPDX-License-Identifier: GPL-2.0-only
"""
Cpu weights of units are set, respect choices of others, and are put back, also after a kill. The bus is real; the
manager is the test's. tests/vm has the real manager.
"""

import os
import re
import shutil
import signal
import socket
import subprocess

from askers import AskerTest
from cgroups import CpuCgroups
from daemon import SANITIZER_WORDS, SCHEDQOS, environment, schedqos
from waiting import PATIENCE, wait_for

MANAGER = os.path.join(os.path.dirname(SCHEDQOS), "tests/live/manager")
RECORD = "/run/schedqos"
UNSET = str(2 ** 64 - 1)
GROUP = "/schedqos-weights.slice"
BUS = """<busconfig><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""
CONFIG = {"named": {"qos": "QOS_UTILITY"}, "schedqos": {"weights": {
    "user.slice": {"weight": "QOS_USER_INTERACTIVE", "when": "seat"}, "named.service": "QOS_BACKGROUND", "game-*.scope": 500,
    "chosen.slice": 7, "quota.slice": 7, "idle.slice": 7, "flat.slice": 7, "no-such.service": 7}}}
# Weights of nice -4 and 4, as in the announcement's mapping.
INTERACTIVE, BACKGROUND = "244", "41"


def kept(folder=RECORD):
    """Returns the units on record."""
    return sorted(name for name in os.listdir(folder) if os.path.islink(os.path.join(folder, name)))


class Weights(AskerTest):
    def setUp(self):
        super().setUp()
        for name in ("dbus-daemon", "dbus-send"):
            if not shutil.which(name):
                self.skipTest("no " + name)
        self.need(["unshare", "-m", "--propagation", "private"])
        self.weights = self.manager = None
        # A cgroup whose neighbours have the controller, like the cgroup of a unit.
        border = CpuCgroups(GROUP[1:])
        self.addCleanup(border.remove)
        self.start_bus()
        self.start_manager()
        self.sessions = os.path.join(self.folder, "systemd/sessions")
        os.makedirs(self.sessions)
        if not os.path.isdir("/run/systemd"):
            os.mkdir("/run/systemd")
            self.addCleanup(os.rmdir, "/run/systemd")
        self.daemon(CONFIG)

    def start_bus(self):
        path = self.path("system-bus")
        bus = self.run_program(["dbus-daemon", "--nofork", "--print-address",
                                "--config-file=" + self.write("system-bus.conf", BUS % path)],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # The socket exists before the bus listens.
        bus.popen.stdout.readline()
        self.env = dict(environment(), DBUS_SYSTEM_BUS_ADDRESS="unix:path=" + path)

    def start_manager(self):
        self.manager = self.run_program([MANAGER], env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii")
        self.assertEqual(self.manager.popen.stdout.readline(), "ready\n")
        # In version 1 the unit's own cgroup decides whether there is a border, in version 2 that of its slice. A unit
        # that does not run has no cgroup.
        self.tell("unit -.slice / -")
        for name in ("user", "chosen", "quota", "idle"):
            self.tell("unit %s.slice %s -.slice" % (name, GROUP))
        self.tell("unit named.service %s -.slice" % GROUP)
        self.tell("unit flat.slice /no/such none.slice")
        self.tell("put chosen.slice 300 %s" % UNSET)
        self.tell("put quota.slice %s 100000" % UNSET)
        self.tell("put idle.slice 0 %s" % UNSET)

    def ask_manager(self, line):
        self.manager.popen.stdin.write(line + "\n")
        self.manager.popen.stdin.flush()
        return self.manager.popen.stdout.readline().strip()

    def tell(self, line):
        self.assertEqual(self.ask_manager(line), "done", line)

    def send(self, *words, check=True):
        return subprocess.run(["dbus-send", "--system", *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              encoding="ascii", check=check).stdout

    def ask_bus(self, method, *words):
        """Calls the bus. Returns nothing if the name has disappeared meanwhile."""
        return self.send("--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus." + method, *words, check=False)

    def bus_names(self):
        return re.findall(r":1\.\d+", self.ask_bus("ListNames").partition("array")[2])

    def bus_name(self, pid):
        name, = [name for name in self.bus_names()
                 if self.ask_bus("GetConnectionUnixProcessID", "string:" + name).split()[-1:] == [str(pid)]]
        return name

    def be_a_stranger(self, unit):
        """
        Sends forged signals, to everybody and to each connection alone: the bridge has changed, the bridge has ended, a
        unit is new.
        """
        for whom in ([], *(["--dest=" + name] for name in self.bus_names())):
            for what, first in (("/org/schedqos1 org.schedqos1.Reloaded", "org.schedqos1"),
                                ("/org/schedqos1 org.freedesktop.DBus.Properties.PropertiesChanged", "org.schedqos1"),
                                ("/org/freedesktop/DBus org.freedesktop.DBus.NameOwnerChanged", "org.schedqos1"),
                                ("/org/freedesktop/systemd1 org.freedesktop.systemd1.Manager.UnitNew", unit)):
                self.send("--type=signal", *whom, *what.split(), "string:" + first, "string:", "string::1.1")

    def weight(self, name):
        return self.ask_manager("get " + name)

    def becomes(self, name, wanted):
        wait_for(lambda: self.weight(name) == wanted,
                 lambda: "%s has %s, not %s\n%s" % (name, self.weight(name), wanted, self.log()))

    def log(self):
        with open(self.folder + "/weights.log", encoding="utf-8") as file:
            return file.read()

    def sit_down(self, **more):
        session = dict({"STATE": "active", "CLASS": "user", "SEAT": "seat0"}, **more)
        os.rename(self.write("session", "".join("%s=%s\n" % each for each in session.items())), self.sessions + "/c1")

    def command(self, *args):
        return ["unshare", "-m", "--propagation", "private", "sh", "-ec", 'mount --bind "$0" /run/systemd; exec "$@"',
                os.path.dirname(self.sessions), SCHEDQOS, "weights", *args]

    def start(self, *args, is_to_be_ready=True):
        path = self.folder + "/notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, open(self.folder + "/weights.log", "ab") as log:
            if os.path.exists(path):
                os.unlink(path)
            notify.bind(path)
            notify.settimeout(PATIENCE)
            self.weights = self.run_program(self.command(*args), env=dict(self.env, NOTIFY_SOCKET=path), stderr=log).popen
            if is_to_be_ready:
                self.assertIn(b"READY=1", notify.recv(1024))

    def ends(self, status=0):
        self.assertEqual(self.weights.wait(PATIENCE), status, self.log())
        self.assertFalse([word for word in SANITIZER_WORDS if word in self.log()], self.log())

    def stop(self):
        self.weights.terminate()
        self.ends()

    def restore(self, *args, status=0):
        result = subprocess.run(self.command("--restore", *args), env=self.env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                encoding="utf-8", timeout=PATIENCE, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stderr

    def all_is_as_before(self):
        names = ("user.slice", "named.service", "chosen.slice", "quota.slice", "idle.slice", "flat.slice")
        self.assertEqual([self.weight(name) for name in names], [UNSET, UNSET, "300", UNSET, "0", UNSET])
        self.assertEqual(kept(), [])

    def test_weights_are_set_and_put_back_and_choices_stay(self):
        self.start()
        self.becomes("named.service", BACKGROUND)
        self.assertEqual(self.weight("user.slice"), UNSET)
        self.sit_down()
        self.becomes("user.slice", INTERACTIVE)
        self.assertEqual(kept(), ["named.service", "user.slice"])
        for words in ("chosen.slice: keeps the CPUWeight", "idle.slice: keeps the CPUWeight",
                      "quota.slice: keeps the CPUQuotaPerSecUSec", "flat.slice: gets no CPUWeight"):
            self.assertIn(words, self.log())
        self.stop()
        self.all_is_as_before()

    def test_weights_for_the_seat_need_a_person_at_a_seat(self):
        for more in ({"CLASS": "greeter"}, {"STATE": "closing"}, {"SEAT": ""}):
            self.sit_down(**more)
            self.start()
            self.becomes("named.service", BACKGROUND)
            self.assertEqual(self.weight("user.slice"), UNSET)
            self.stop()
        self.start()
        self.sit_down()
        self.becomes("user.slice", INTERACTIVE)
        os.unlink(self.sessions + "/c1")
        self.becomes("user.slice", UNSET)
        self.stop()

    def test_a_reload_of_the_daemon_changes_weights(self):
        self.start()
        self.becomes("named.service", BACKGROUND)
        self.current.reload({"schedqos": {"weights": {"named.service": 12, "user.slice": 13}}})
        self.becomes("named.service", "12")
        self.becomes("user.slice", "13")
        self.current.reload({})
        self.becomes("user.slice", UNSET)
        self.stop()
        self.all_is_as_before()

    def test_units_that_come_get_their_weights(self):
        self.start()
        self.becomes("named.service", BACKGROUND)
        self.tell("unit game-1.scope %s -.slice" % GROUP)
        self.becomes("game-1.scope", "500")
        self.tell("gone game-1.scope")
        wait_for(lambda: kept() == ["named.service"], "the record without it")
        self.stop()

    def test_no_descriptor_gets_through(self):
        """Closing one could wait forever for the process that serves its file, and the weights would stay."""
        self.start()
        bus = ["env", "DBUS_SYSTEM_BUS_ADDRESS=" + self.env["DBUS_SYSTEM_BUS_ADDRESS"]]
        client = self.start_asker("system", self.bus_name(self.weights.pid), "/none", prefix=bus)
        self.assert_refused(self.ask(client, "none.of.Ours", "Method", "h", "/dev/null"),
                            "org.freedesktop.DBus.Error.NotSupported", "descriptors")
        self.stop()
        self.all_is_as_before()

    def test_a_weight_that_somebody_sets_meanwhile_stays(self):
        self.start()
        self.becomes("named.service", BACKGROUND)
        self.tell("put named.service 77 %s" % UNSET)
        # Only signals of the manager make the service look.
        self.be_a_stranger("named.service")
        self.tell("unit game-1.scope %s -.slice" % GROUP)
        self.becomes("game-1.scope", "500")
        self.assertIn("named.service", kept())
        self.stop()
        self.assertEqual(self.weight("named.service"), "77")
        self.assertIn("named.service: somebody has changed its CPUWeight", self.log())
        self.assertEqual(kept(), [])

    def test_a_kill_around_each_set_loses_nothing(self):
        """
        The service is killed at the start and at the end of each set. The next run, or restore, puts everything back.
        """
        self.sit_down()
        for name in ("user.slice", "named.service"):
            for how in ("before", "after"):
                for is_end in (False, True):
                    if not is_end:
                        self.tell("kill %s %s" % (name, how))
                    self.start(is_to_be_ready=is_end)
                    if is_end:
                        self.becomes("user.slice", INTERACTIVE)
                        self.becomes("named.service", BACKGROUND)
                        self.tell("kill %s %s" % (name, how))
                        self.weights.terminate()
                    self.ends(-signal.SIGKILL)
                    if name == "user.slice":
                        self.restore()
                    else:
                        self.start()
                        self.becomes("named.service", BACKGROUND)
                        self.stop()
                    self.all_is_as_before()

    def test_a_killed_daemon_ends_the_weights(self):
        self.start()
        self.becomes("named.service", BACKGROUND)
        self.current.kill()
        self.ends()
        self.all_is_as_before()
        schedqos("restore")

    def test_without_a_manager_the_record_stays(self):
        self.start()
        self.becomes("named.service", BACKGROUND)
        self.manager.end()
        self.current.reload({"schedqos": {"weights": {}}})
        self.ends(1)
        self.assertIn("the service manager does not answer", self.log())
        self.assertEqual(kept(), ["named.service"])
        self.restore(status=1)
        # The record also stays if there is no bus.
        self.env, env = dict(self.env, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/no/bus"), self.env
        self.restore(status=1)
        self.env = env
        self.assertEqual(kept(), ["named.service"])
        self.start_manager()
        self.tell("put named.service %s %s" % (BACKGROUND, UNSET))
        self.restore()
        self.all_is_as_before()

    def test_a_unit_s_class_sets_its_weight(self):
        cgroups = self.new_cgroups("schedqos-live")
        ruled, other = self.sleeper("named"), self.sleeper("other")
        cgroups.move(ruled.pid, "own.service")
        cgroups.move(other.pid, "own.service/payload")
        own = self.write("own.service", "[X-SchedQoS]\nClass=QOS_BACKGROUND\n")
        drop_in = self.write("10-own.conf", "[X-SchedQoS]\n# more\nClass=QOS_USER_INTERACTIVE\n")
        wrong = self.write("wrong.conf", "[X-SchedQoS]\nClass=QOS_USER_INTERACTIV\n")
        self.tell("unit own.service %s -.slice" % cgroups.path("own.service"))
        self.tell("files own.service %s %s" % (own, drop_in))
        self.tell("files user.slice %s -" % own)
        self.start()
        self.becomes("user.slice", BACKGROUND)
        self.assert_carries(other, "QOS_USER_INTERACTIVE")
        self.assert_carries(ruled, "QOS_UTILITY")
        self.assertIn("its unit own.service says Class=QOS_USER_INTERACTIVE (%s:3)" % drop_in,
                      schedqos("explain", str(other.pid)).stdout)
        self.assertEqual(self.current.status()["unit_classes"], 2)
        with self.subTest("another class, as after a daemon-reload"):
            self.tell("files own.service %s -" % own)
            self.assert_carries(other, "QOS_BACKGROUND")
        with self.subTest("one that there is not, until the configuration has it"):
            self.tell("files user.slice %s %s" % (own, wrong))
            self.becomes("user.slice", UNSET)
            self.assertRegex(self.log(), re.escape(wrong) + ":2: Class=: .*did you mean \"QOS_USER_INTERACTIVE\"")
            self.current.reload({"QOS_USER_INTERACTIV": {"sched_nice": -4}, **CONFIG})
            self.becomes("user.slice", INTERACTIVE)
        with self.subTest("the setting goes first"):
            self.sit_down()
            self.current.reload({"schedqos": {"weights": {"user.slice": 12}}})
            self.becomes("user.slice", "12")
        with self.subTest("its unit goes"):
            self.tell("gone own.service")
            self.assert_carries(other, "QOS_DEFAULT")
        self.stop()
        self.assertEqual(self.current.status()["unit_classes"], 0)

    def test_weights_of_a_user_s_units_are_set(self):
        """The manager serves as the user's and as the system's, and the bridge runs as well."""
        runtime = os.path.join(self.folder, "runtime")
        os.mkdir(runtime, 0o700)
        self.env.update(XDG_RUNTIME_DIR=runtime, DBUS_SESSION_BUS_ADDRESS=self.env["DBUS_SYSTEM_BUS_ADDRESS"])
        for name in ("session", "app", "c1", "c2"):
            self.tell("unit %s.slice %s -.slice" % (name, GROUP))
            self.tell("put %s.slice 100 %s" % (name, UNSET))
            self.tell("files %s.slice /usr/lib/systemd/user/%s.slice -" % (name, name))
        self.tell("files c1.slice /usr/lib/systemd/user/c1.slice /home/user/.config/systemd/user/c1.slice.d/own.conf")
        self.tell("put c2.slice 300 %s" % UNSET)
        own = self.write("app.slice", "[X-SchedQoS]\nClass=QOS_BACKGROUND\n")
        self.tell("files app.slice /usr/lib/systemd/user/app.slice %s" % own)
        self.tell("put app.slice %s %s" % (UNSET, UNSET))
        told = "told %s QOS_BACKGROUND %s:2" % (GROUP, own)

        def wanted(*weights):
            for name, weight in zip(("session", "app", "c1", "c2"), weights):
                self.becomes(name + ".slice", weight)

        with self.subTest("no bridge, no daemon"):
            self.start("--user")
            self.tell("bridge here")
            wanted("100", UNSET, "100", "300")
            self.assertEqual(kept(runtime + "/schedqos"), [])
        with self.subTest("it starts, and is reloaded"):
            self.tell("user_weight 500")
            wanted("500", BACKGROUND, "100", "300")
            self.assertEqual(self.ask_manager("told"), told)
            self.tell("user_weight 600")
            wanted("600", BACKGROUND, "100", "300")
            self.assertEqual(kept(runtime + "/schedqos"), ["app.slice", "session.slice"])
        with self.subTest("nobody else but the bridge has it ask"):
            self.ask_manager("asked")
            self.be_a_stranger("session.slice")
            self.tell("user_weight 500")
            wanted("500", BACKGROUND, "100", "300")
            self.assertEqual(self.ask_manager("asked"), "1")
            self.tell("user_weight 600")
            wanted("600", BACKGROUND, "100", "300")
        with self.subTest("another bridge"):
            self.tell("bridge gone")
            wanted("100", UNSET, "100", "300")
            self.ask_manager("told")
            self.tell("bridge here")
            wanted("600", BACKGROUND, "100", "300")
            self.assertEqual(self.ask_manager("told"), told)
        with self.subTest("a unit's class is refused until the user sits at the machine"):
            self.tell("bridge refuses")
            self.tell("user_weight 600")
            wanted("600", UNSET, "100", "300")
            self.assertIn("the daemon refuses the classes that units name: not in front", self.log())
            self.tell("bridge here")
            self.sit_down()
            wanted("600", BACKGROUND, "100", "300")
        with self.subTest("it says nothing any more"):
            self.tell("files app.slice /usr/lib/systemd/user/app.slice -")
            wanted("600", UNSET, "100", "300")
            self.assertEqual(self.ask_manager("told"), "told")
            self.tell("files app.slice /usr/lib/systemd/user/app.slice %s" % own)
            wanted("600", BACKGROUND, "100", "300")
        with self.subTest("the daemon ends"):
            self.tell("user_weight 0")
            wanted("100", UNSET, "100", "300")
        with self.subTest("SIGKILL"):
            self.tell("user_weight 600")
            wanted("600", BACKGROUND, "100", "300")
            self.weights.kill()
            self.ends(-signal.SIGKILL)
            self.tell("files session.slice /usr/lib/systemd/user/session.slice /run/user/0/systemd/user.control/w.conf")
            self.restore("--user")
            wanted("100", UNSET, "100", "300")
            self.start("--user")
            wanted("600", BACKGROUND, "100", "300")
        self.stop()
        wanted("100", UNSET, "100", "300")
        self.assertEqual(kept(runtime + "/schedqos"), [])

    def test_a_second_run_is_refused(self):
        self.start()
        self.becomes("named.service", BACKGROUND)
        self.assertRegex(self.restore(status=1), "already runs")
        self.stop()

    def test_other_users_cannot_lock_the_record(self):
        self.start()
        command = ["flock", "-F", "-n", RECORD, "sh", "-c", "echo; exec sleep infinity"]
        with subprocess.Popen(command, user=65534, group=65534, extra_groups=[], stdout=subprocess.PIPE) as locker:
            self.assertEqual(locker.stdout.readline(), b"\n")
            self.stop()
            try:
                self.restore()
            finally:
                locker.kill()
