# SPDX-License-Identifier: GPL-2.0-only
"""
What `make install-desktop` adds, with a real systemd, system bus and polkit: the confined bridge, called by an ordinary
user before and after sitting down at the machine; and schedqos-focus among the user's services, which follows windows
as on GNOME, of apps in real scopes.
"""

import glob
import json
import os
import pwd
import shutil

import methods
from attributes import get_attr, pristine
from crowd import Crowd
from login import AS_USER, IN_SESSION, MANAGER, USER, as_uid, leave, of_user, sit_down
from programs import Program, sleep_program
from scopes import BACKGROUND, INITIATED, UI, carries, cgroup
from steps import CONFIG, TOP, UNIT, command, equal, install_desktop, show, systemctl, write
from units import drop_in
from waiting import wait_for
from weights import CGROUPS, USERS_GROUP, users

BRIDGE, FOCUS = "schedqos-bridge.service", "schedqos-focus.service"
DEFAULT = "QOS_DEFAULT"
# A shipped rule names the second program.
PROGRAM, NAMED = "/run/desktop-test", "/run/sway"
# Another user, never at the seat.
SOMEBODY = 1001
# Number of uids in a crowd, each with a connection; the bus allows 2,048 in all.
CROWD = 500
SETUID = "/usr/local/bin/setuid-test"
THREADS = "import threading, time; threading.Thread(target=time.sleep, args=[100000]).start(); time.sleep(100000)"
# A unit like those by which compositors begin and end the graphical session.
GRAPHICAL = "[Unit]\nBindsTo=graphical-session.target\nBefore=graphical-session.target\n"
COMPOSITOR = "compositor-test.target"
# A system call that the filter refuses gives an error, which may go unnoticed. Here it kills the process.
STRICT = "[Service]\nSystemCallErrorNumber=kill\n"
KILLED = "31/SYS"
STRICT_FOCUS = "/run/systemd/user/%s.d/strict.conf" % FOCUS
# The name of GNOME's compositor on the user's bus, and how it marks the app with the focus.
MUTTER = "org.gnome.Mutter.DisplayConfig"
OWNER = os.path.join(TOP, "build/tests/desktop/bridge")
SETXATTR = "import os, sys; os.setxattr(sys.argv[1], 'user.xdg.inactive-since', sys.argv[2].encode())"
FOCUSED = "-1"
# The process with the window, and another process.
APP = 'setsid "$0" 100000 & exec "$0" 100000'


def ask(method, *args, status=0):
    """Calls the bridge as an ordinary user. Returns the values of the answer."""
    answer = command(*IN_SESSION, "busctl", "--system", "--json=short", "call", "org.schedqos1", "/org/schedqos1",
                     "org.schedqos1", method, *args, status=status)
    return answer if status else json.loads(answer)["data"]


def as_user(*argv, **options):
    return command(*IN_SESSION, "schedqos", *argv, **options)


def procs(group):
    with open(CGROUPS + group + "/cgroup.procs", encoding="ascii") as file:
        return [int(line) for line in file]


class Desktop:
    """Steps, taken in this order."""

    def __init__(self):
        self._own = self._others = self._named = self._mutter = None
        self._apps, self._casts, self._names = [], {}, {}

    def _app(self, name):
        """Starts an app as a desktop does. Returns its cgroup."""
        app = Program([*IN_SESSION, "--slice=app.slice", "--unit=" + name, "sh", "-c", APP, PROGRAM])
        self._apps.append(app)
        wait_for(lambda: cgroup(app.pid).endswith("/app.slice/%s.scope" % name), lambda: cgroup(app.pid))
        wait_for(lambda: len(procs(cgroup(app.pid))) == 2, lambda: "%s has %s" % (name, procs(cgroup(app.pid))))
        return cgroup(app.pid)

    @staticmethod
    def _say(group, value):
        command(*AS_USER, "python3", "-c", SETXATTR, CGROUPS + group, value)

    def _carry(self, *classes):
        """Waits until all processes of each app carry the app's class."""
        for app, qos in zip(self._apps, classes):
            for pid in procs(cgroup(app.pid)):
                carries(pid, qos)

    def _cast(self, uid):
        """
        Starts programs of a user: an ordinary one, one with two threads, and one that runs as root. Returns the names
        for methods.TABLE.
        """
        own, threaded, setuid = self._casts[uid] = [Program([*as_uid(uid), *argv]) for argv in (
            (PROGRAM, "100000"), ("/usr/bin/python3", "-c", THREADS), (SETUID, "100000"))]
        wait_for(lambda: len(os.listdir("/proc/%d/task" % threaded.pid)) == 2, "two threads")
        wait_for(lambda: os.path.basename(os.readlink("/proc/%d/exe" % setuid.pid)) == os.path.basename(SETUID), "setuid")
        thread = max(map(int, os.listdir("/proc/%d/task" % threaded.pid)))
        return {"own": own.pid, "thread": thread, "setuid": setuid.pid, "roots": self._others.pid,
                "cgroup": USERS_GROUP[len(CGROUPS):]}

    def the_desktop_part_is_installed(self):
        os.symlink(sleep_program(), PROGRAM)
        os.symlink(sleep_program(), NAMED)
        write(CONFIG, json.dumps({"schedqos": {"mapping": "announcement"}}))
        drop_in("strict", STRICT, [BRIDGE])
        install_desktop()
        self._others = Program([PROGRAM, "100000"])
        self._own = Program([*AS_USER, PROGRAM, "100000"])
        self._named = Program([*AS_USER, NAMED, "100000"])
        for program in (self._others, self._own):
            carries(program.pid, DEFAULT)
        systemctl("start", MANAGER)

    def systemd_accepts_the_units(self):
        """
        It warns about none of them, neither the system's nor the users', although releases know different settings.
        """
        for prefix, whose in ((), "system"), (AS_USER, "user"):
            units = list(filter(os.path.isfile, glob.glob("/usr/lib/systemd/%s/schedqos*" % whose)))
            equal(len(units) > 1, True)
            equal((whose, command(*prefix, "systemd-analyze", "--" + whose, "verify", "--man=no", *units)), (whose, ""))

    def a_call_of_a_user_starts_the_bridge(self):
        equal(show("LoadState", BRIDGE), "loaded")
        wait_for(lambda: show("ActiveState", BRIDGE) == "active", "the one that comes with the daemon")
        systemctl("stop", BRIDGE)
        equal(str(json.loads(ask("Status")[0])["pid"]), show("MainPID"))
        equal(show("ActiveState", BRIDGE), "active")

    def the_bridge_is_confined(self):
        ask("Status")
        pid = show("MainPID", BRIDGE)
        equal(os.stat("/proc/" + pid).st_uid, pwd.getpwnam("schedqos").pw_uid)
        with open("/proc/%s/status" % pid, encoding="ascii") as file:
            lines = dict(line.strip().partition(":\t")[::2] for line in file)
        equal({name: value for name, value in lines.items() if name.startswith("Cap") and int(value, 16)}, {})
        equal((lines["NoNewPrivs"], lines["Seccomp"]), ("1", "2"))
        print(command("systemd-analyze", "--no-pager", "security", BRIDGE).splitlines()[-1], flush=True)
        carries(int(pid), UI)

    def a_user_sees_the_tasks_of_all(self):
        listed = {task["pid"] for task in json.loads(as_user("list", "--json"))}
        equal({self._own.pid, self._others.pid} - listed, set())

    def each_method_answers_users_without_a_seat(self):
        shutil.copy(sleep_program(), SETUID)
        os.chmod(SETUID, 0o4755)
        command("useradd", "-u", str(SOMEBODY), "somebody")
        users_own, somebodys = self._cast(USER), self._cast(SOMEBODY)
        self._names = {USER: dict(users_own, others=somebodys["own"]), SOMEBODY: dict(somebodys, others=users_own["own"])}
        methods.check(IN_SESSION, self._names[USER], is_at_seat=False)
        methods.check(as_uid(SOMEBODY), self._names[SOMEBODY], is_at_seat=False)

    def a_user_without_a_seat_needs_a_password(self):
        """The user has a service manager and no session, as after a login by ssh."""
        if "password" not in as_user("set", str(self._own.pid), BACKGROUND, status=1):
            raise AssertionError("it is refused for another reason")
        carries(self._own.pid, DEFAULT)

    def a_user_at_the_seat_needs_no_password(self):
        """A shipped rule raises only a user at a seat."""
        carries(self._named.pid, DEFAULT)
        self._named.end()
        sit_down()
        self._named = Program([*AS_USER, NAMED, "100000"])
        carries(self._named.pid, UI)
        as_user("set", str(self._own.pid), BACKGROUND)
        carries(self._own.pid, BACKGROUND)
        as_user("reset", str(self._own.pid))
        carries(self._own.pid, DEFAULT)

    def each_method_answers_a_user_at_the_seat_and_another(self):
        methods.check(IN_SESSION, self._names[USER], is_at_seat=True)
        methods.check(as_uid(SOMEBODY), self._names[SOMEBODY], is_at_seat=False)
        carries(self._names[USER]["own"], DEFAULT)

    def a_crowd_of_uids_locks_nobody_out(self):
        """
        Each uid calls far less than it may, but together they are refused. Root is always served, and so is a user at
        a seat.
        """
        crowd = Crowd(CROWD)
        try:
            wait_for(lambda: methods.LIMITS in crowd.answers, lambda: "a refusal among %s" % crowd.answers)
            for verb, becomes in (("set", BACKGROUND), ("reset", DEFAULT)) * 2:
                command("schedqos", "status")
                command("busctl", "call", methods.NAME, methods.PATH, methods.NAME, "Status")
                as_user(verb, str(self._own.pid), *([becomes] if verb == "set" else []))
                carries(self._own.pid, becomes)
        finally:
            crowd.end()
            print("answers to a crowd: %s" % crowd.answers, flush=True)
        equal(set(crowd.answers), {None, methods.LIMITS})

    def requests_and_the_bridge_end_with_the_daemon(self):
        """A new bridge comes with the next daemon."""
        as_user("set", str(self._own.pid), BACKGROUND)
        carries(self._own.pid, BACKGROUND)
        systemctl("restart", UNIT)
        carries(self._own.pid, DEFAULT)
        as_user("set", str(self._own.pid), BACKGROUND)
        carries(self._own.pid, BACKGROUND)

    def the_app_with_the_focus_is_raised_and_no_other(self):
        """All its processes are. The focus service starts with the graphical session."""
        write(STRICT_FOCUS, STRICT)
        write("/run/systemd/user/" + COMPOSITOR, GRAPHICAL)
        of_user("daemon-reload")
        of_user("enable", "--runtime", FOCUS)
        first, _ = self._app("app-first"), self._app("app-second")
        self._mutter = Program([*AS_USER, "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/user/%d/bus" % USER, OWNER, MUTTER])
        self._say(first, FOCUSED)
        of_user("start", COMPOSITOR)
        self._carry(INITIATED, DEFAULT)

    def the_next_daemon_learns_of_the_focus(self):
        systemctl("restart", UNIT)
        self._carry(INITIATED, DEFAULT)

    def the_focus_service_ends_and_starts_with_the_session(self):
        equal((users(FOCUS, "NRestarts"), users(FOCUS, "Slice")), ("0", "session.slice"))
        of_user("stop", COMPOSITOR)
        self._carry(DEFAULT, DEFAULT)
        of_user("start", COMPOSITOR)
        self._carry(INITIATED, DEFAULT)

    def a_stop_puts_all_back_and_ends_the_bridge(self):
        systemctl("stop", UNIT)
        for pid in [self._own.pid, *(pid for app in self._apps for pid in procs(cgroup(app.pid)))]:
            equal(get_attr(pid), pristine())
        answer = ask("Status", status=1)
        if "no daemon" not in answer:
            raise AssertionError(answer)
        wait_for(lambda: show("ActiveState", BRIDGE) == "inactive", "the end of the one without a daemon")

    def the_filter_has_refused_no_system_call(self):
        """It would have killed the service."""
        equal((users(FOCUS, "ActiveState"), users(FOCUS, "NRestarts")), ("active", "0"))
        equal([line for line in command("journalctl", "-b", "--no-pager").splitlines() if KILLED in line], [])

    def no_unit_has_failed(self):
        of_user("stop", COMPOSITOR)
        for program in (self._own, self._others, self._named, self._mutter, *sum(self._casts.values(), [])):
            program.end()
        os.unlink(SETUID)
        of_user("stop", "app-first.scope", "app-second.scope")
        for app in self._apps:
            app.end()
        leave()
        systemctl("stop", MANAGER, BRIDGE)
        os.unlink(STRICT_FOCUS)
        drop_in("strict", "", [BRIDGE])
        equal(systemctl("--failed", "--no-legend", "--plain"), "")
