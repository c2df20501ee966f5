# SPDX-License-Identifier: GPL-2.0-only
"""
Real scopes and slices, of the system's and of a user's systemd, around running processes, as desktops make them. The
confined service must follow them, whether the kernel reports moves to it or not.
"""

import json
import os
import re
import signal
import subprocess

from attributes import classes, differences, get_attr, leftovers, pristine, snapshot
from login import IN_SESSION, MANAGER
from programs import Program, sleep_program
from steps import CONFIG, UNIT, command, equal, show, systemctl, write
from units import drop_in, journal
from waiting import wait_for

UI, INITIATED, BACKGROUND = "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_BACKGROUND"
RULES = {
    "schedqos": {"mapping": "announcement", "groups": {
        "background.slice": {"max": BACKGROUND},
    }},
    "scope-test": [{"qos": UI, "match": {"cgroup": "*/game-*.scope"}}, {"qos": INITIATED}],
}
APP = "/run/scope-test"
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
NOT_HEARD = "[Service]\nCapabilityBoundingSet=~CAP_PERFMON\n"
HEARD_THOUGH_PARANOID = "[Service]\nCapabilityBoundingSet=CAP_SYS_ADMIN\n"
CAP_SYS_ADMIN, CAP_PERFMON = 21, 38


def status():
    return json.loads(command("schedqos", "status", "--json"))


def call(method, *args):
    command("busctl", "call", "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
            "org.freedesktop.systemd1.Manager", method, *args)


def move(pid, scope, slice_):
    """Has systemd make a new scope around a running process."""
    call("StartTransientUnit", "ssa(sv)a(sa(sv))", scope + ".scope", "fail", "2", "PIDs", "au", "1", str(pid), "Slice",
         "s", slice_ + ".slice", "0")
    wait_for(lambda: cgroup(pid).endswith("/%s.scope" % scope), lambda: "%s holds %s" % (cgroup(pid), pid))


def cgroup(pid):
    with open("/proc/%d/cgroup" % pid, encoding="utf-8") as file:
        return file.read().strip().rpartition("::")[2]


def capabilities(pid):
    """Returns the capabilities that a process can ever have."""
    with open("/proc/%s/status" % pid, encoding="ascii") as file:
        mask = int(re.search(r"CapBnd:\s*(\w+)", file.read()).group(1), 16)
    return {number for number in range(64) if mask >> number & 1}


def finding(name):
    found = json.loads(subprocess.run(["schedqos", "doctor", "--json"], stdout=subprocess.PIPE, check=False).stdout)
    return next(finding for finding in found["findings"] if finding["name"] == name)


def write_paranoid(value):
    with open(PARANOID, "w", encoding="ascii") as file:
        file.write(value)


def carries(pid, qos):
    wanted = classes()[qos]
    wait_for(lambda: get_attr(pid) == wanted, lambda: "%s, in %s: %s carries %s" % (qos, cgroup(pid), wanted,
                                                                                    get_attr(pid)))


class Scopes:
    """Steps, taken in this order."""

    def __init__(self, before):
        self._programs, self._before, self._paranoid = [], before, None
        self._home, self._app = cgroup(os.getpid()), 0

    def _run(self, *prefix):
        program = Program([*prefix, APP, "100000"])
        self._programs.append(program)
        return program.pid

    def _go_home(self, pid):
        """Moves the process back into the service of this test."""
        call("AttachProcessesToUnit", "ssau", os.path.basename(self._home), "", "1", str(pid))
        wait_for(lambda: cgroup(pid) == self._home, lambda: "%d is in %s" % (pid, cgroup(pid)))

    def _restarted(self, how):
        systemctl("restart", UNIT)
        equal(status()["cgroup_moves"], how)

    def the_service_starts(self):
        os.symlink(sleep_program(), APP)
        if os.path.exists(PARANOID):
            with open(PARANOID, encoding="ascii") as file:
                self._paranoid = file.read().strip()
            write_paranoid("2")
        write(CONFIG, json.dumps(RULES))
        systemctl("restart", UNIT)

    def the_confined_daemon_receives_moves(self):
        """It has only one capability for that."""
        equal(status()["cgroup_moves"], "heard")
        equal(finding("hearing")["state"], "ok")
        equal(capabilities(show("MainPID")) & {CAP_SYS_ADMIN, CAP_PERFMON}, {CAP_PERFMON})
        equal(os.statvfs("/proc/%s/root/sys/kernel/tracing" % show("MainPID")).f_flag & os.ST_RDONLY, os.ST_RDONLY)

    def a_program_outside_any_scope_gets_the_other_rule(self):
        shell = Program(["sh", "-c", '"$0" 100000 & wait', APP])
        self._programs.append(shell)
        [self._app] = wait_for(shell.descendants, "what the shell starts")
        carries(self._app, INITIATED)

    def a_scope_around_a_running_program_brings_its_rule(self):
        """The scope is made after the program has started."""
        moves = status()["moves"]
        move(self._app, "game-1", "app")
        carries(self._app, UI)
        if status()["moves"] <= moves:
            raise AssertionError("no move was heard")

    def a_slice_limits_the_class(self):
        move(self._app, "game-2", "background")
        carries(self._app, BACKGROUND)
        if "background.slice" not in command("schedqos", "explain", str(self._app)):
            raise AssertionError("explain does not name the group")
        equal(status()["tasks_limited"], 1)

    def the_class_returns_when_the_program_leaves(self):
        self._go_home(self._app)
        carries(self._app, INITIATED)
        equal(status()["tasks_limited"], 0)

    def a_program_started_in_a_scope_gets_its_class(self):
        """systemd-run enters the scope and then calls exec."""
        for name, slice_, qos in (("run-1", "app", INITIATED), ("game-6", "app", UI),
                                  ("run-2", "background", BACKGROUND)):
            carries(self._run("systemd-run", "--scope", "--quiet", "--unit=" + name, "--slice=%s.slice" % slice_), qos)

    def scopes_of_a_user_s_systemd_are_followed(self):
        """They are below user@UID.service, in slices of the same names, as desktops ask for them."""
        systemctl("start", MANAGER)
        for name, slice_, qos in (("app-1", "app", INITIATED), ("game-1", "app", UI),
                                  ("app-2", "background", BACKGROUND)):
            pid = self._run(*IN_SESSION, "--unit=" + name, "--slice=%s.slice" % slice_)
            carries(pid, qos)
            equal(os.path.basename(cgroup(pid)), name + ".scope")

    def without_the_capability_cgroups_are_polled(self):
        """The cgroup of a program is read in its first seconds."""
        drop_in("moves", NOT_HEARD)
        self._restarted("polled")
        equal(CAP_PERFMON in capabilities(show("MainPID")), False)
        carries(self._app, INITIATED)
        carries(self._run("systemd-run", "--scope", "--quiet", "--unit=game-10", "--slice=background.slice"),
                BACKGROUND)

    def a_kernel_that_requires_more_is_reported(self):
        """Debian's kernel requires CAP_SYS_ADMIN. Log and doctor say so, and the manual's remedy works."""
        drop_in("moves", "")
        if self._paranoid is None or int(self._paranoid) <= 2:
            return
        write_paranoid(self._paranoid)
        self._restarted("polled")
        if not any("perf_event_paranoid" in line["MESSAGE"] for line in journal(_PID=show("MainPID"))):
            raise AssertionError("the log does not say why")
        if "perf_event_paranoid" not in finding("hearing")["what"]:
            raise AssertionError("doctor says %s" % finding("hearing"))
        drop_in("moves", HEARD_THOUGH_PARANOID)
        self._restarted("heard")
        move(self._app, "game-11", "background")
        carries(self._app, BACKGROUND)

    def a_stop_leaves_no_trace(self):
        systemctl("stop", UNIT)
        for program in self._programs:
            if program.popen.poll() is None:
                equal(program.attr(), pristine())
        equal(get_attr(self._app), pristine())
        after = snapshot()
        equal(differences(self._before, after) + leftovers(self._before, after), [])

    def no_unit_has_failed(self):
        drop_in("moves", "")
        os.kill(self._app, signal.SIGKILL)
        for program in self._programs:
            program.end()
        systemctl("stop", MANAGER)
        equal(systemctl("--failed", "--no-legend", "--plain"), "")
