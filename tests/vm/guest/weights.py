# SPDX-License-Identifier: GPL-2.0-only
"""
Cpu weights of real units: of slices, of services before they start, and of scopes that come and go. A weight that
somebody chose stays, none outlasts the service, and none is set where the controller was off.
"""

import glob
import json
import os
import shutil
import signal

from login import MANAGER, USER, leave, of_user, sit_down
from steps import CONFIG, UNIT, command, equal, install_desktop, show, systemctl, write
from units import drop_in, journal
from waiting import wait_for

WEIGHTS = "schedqos-weights.service"
CGROUPS = "/sys/fs/cgroup"
RECORD = "/run/schedqos"
UNSET = "[not set]"
# Weights of nice -4 and 4, as in the recommended mapping.
INTERACTIVE, MAINTENANCE = "244", "41"
# It copies the weight that it finds.
NAMED = "man-db.service"
ONESHOT = "[Service]\nType=oneshot\nExecStart=cp %s/system.slice/%s/cpu.weight /run/weight-test\n" % (CGROUPS, NAMED)
# Keeps NAMED loaded, as the timer of that name does on a Debian. Otherwise systemd forgets it at once, and nobody sees it.
TIMER = "man-db.timer"
DAILY = "[Timer]\nOnActiveSec=1d\n"
# Like a container engine: once it runs, its neighbours have the controller, too.
DELEGATED = "[Service]\nExecStart=sleep 100000\nDelegate=cpu\n"
CLASSY = "[Service]\nExecStart=/run/classy 100000\n[X-SchedQoS]\nClass=QOS_BACKGROUND\n"
USERS = {"session.slice": 500, "app.slice": 50}
USERS_GROUP = CGROUPS + "/user.slice/user-%d.slice/user@%d.service" % (USER, USER)


def weight(unit):
    return show("CPUWeight", unit)


def controllers():
    """
    Returns the cgroups that have the cpu controller on for their children, without those that come and go by
    themselves.
    """
    found = set()
    for path in [CGROUPS, *glob.glob(CGROUPS + "/*.slice"), *glob.glob(CGROUPS + "/user.slice/user-*.slice")]:
        with open(path + "/cgroup.subtree_control", encoding="ascii") as file:
            if "cpu" in file.read().split():
                found.add(path)
    return found


def record():
    """Returns the recorded weights of the units of this test; None if one of them ends meanwhile."""
    names = [name for name in os.listdir(RECORD) if name.startswith(("user.slice", "game-"))]
    try:
        return {name: os.readlink(os.path.join(RECORD, name)).split()[1] for name in names}
    except FileNotFoundError:
        return None


def becomes(unit, wanted):
    wait_for(lambda: weight(unit) == wanted, lambda: "%s has %s, not %s\n%s" %
             (unit, weight(unit), wanted, command("journalctl", "-n", "30", "-u", WEIGHTS)))


def has_told(words):
    wait_for(lambda: any(words in line["MESSAGE"] for line in journal(WEIGHTS)),
             lambda: "%r is not in %s" % (words, [line["MESSAGE"] for line in journal(WEIGHTS)]))


def users(unit, name="CPUWeight"):
    return of_user("show", "--value", "-p", name, unit)


def users_become(session, app):
    wanted = {"session.slice": session, "app.slice": app}
    wait_for(lambda: {unit: users(unit) for unit in wanted} == wanted, lambda: "%s, not %s\n%s" %
             ([users(unit) for unit in wanted], wanted, command("journalctl", "-n", "30", "_UID=%d" % USER)))


def kill(unit):
    pid = int(show("MainPID", unit))
    if pid:
        os.kill(pid, signal.SIGKILL)
    return pid


class Weights:
    """Steps, taken in this order."""

    def __init__(self):
        self._controllers = set()

    def the_machine_is_ready(self):
        """A user's manager and its slices run, though nobody has logged in."""
        systemctl("stop", UNIT)
        command("loginctl", "enable-linger", "user")
        wait_for(lambda: show("ActiveState", MANAGER) == "active", "the user's manager")
        write("/run/systemd/system/" + NAMED, ONESHOT)
        write("/run/systemd/system/" + TIMER, DAILY)
        write("/run/systemd/system/delegated.service", DELEGATED)
        systemctl("daemon-reload")
        systemctl("start", TIMER)
        self._controllers = controllers()
        if CGROUPS not in self._controllers or CGROUPS + "/system.slice" in self._controllers:
            raise AssertionError("controllers are on for %s" % self._controllers)

    def without_a_user_at_a_seat_no_weight_is_set(self):
        if os.path.exists(CONFIG):
            os.unlink(CONFIG)
        systemctl("start", UNIT, WEIGHTS)
        equal((show("ActiveState", WEIGHTS), weight("user.slice"), record()), ("active", UNSET, {}))
        equal(controllers(), self._controllers)
        equal(glob.glob("/run/systemd/system.control/*"), [])

    def the_weights_service_is_confined(self):
        pid = show("MainPID", WEIGHTS)
        with open("/proc/%s/status" % pid, encoding="ascii") as file:
            lines = dict(line.split(":\t") for line in file if line.startswith("Cap"))
        equal(set(lines.values()), {"0" * 16 + "\n"})
        equal(os.statvfs("/proc/%s/root/sys/devices" % pid).f_flag & os.ST_RDONLY, os.ST_RDONLY)
        print(command("systemd-analyze", "--no-pager", "security", WEIGHTS).splitlines()[-1], flush=True)

    def a_user_at_a_seat_brings_the_weight(self):
        sit_down()
        becomes("user.slice", INTERACTIVE)
        with open(CGROUPS + "/user.slice/cpu.weight", encoding="ascii") as file:
            equal(file.read().strip(), INTERACTIVE)
        equal(record(), {"user.slice": INTERACTIVE})

    def a_weight_makes_no_new_border(self):
        """The controller is off in system.slice."""
        equal(weight(NAMED), UNSET)
        has_told("enable the cpu controller")
        systemctl("start", NAMED, status=1)  # it fails, because it finds no cpu.weight
        systemctl("reset-failed")
        equal(controllers(), self._controllers)

    def a_service_has_its_weight_before_it_starts(self):
        systemctl("start", "delegated.service")
        systemctl("reload", UNIT)
        becomes(NAMED, MAINTENANCE)
        systemctl("start", NAMED)
        with open("/run/weight-test", encoding="ascii") as file:
            equal(file.read().strip(), MAINTENANCE)

    def a_reload_of_systemd_changes_no_weight(self):
        systemctl("daemon-reload")
        equal((weight(NAMED), weight("user.slice")), (MAINTENANCE, INTERACTIVE))

    def a_reload_of_the_daemon_changes_weights(self):
        write(CONFIG, json.dumps({"schedqos": {"weights": {"user.slice": 700, NAMED: None, "game-*.scope": 500}}}))
        systemctl("reload", UNIT)
        becomes("user.slice", "700")
        becomes(NAMED, UNSET)

    def scopes_that_come_and_go_have_weights_meanwhile(self):
        systemctl("set-property", "--runtime", "app.slice", "CPUWeight=100")
        systemctl("start", "app.slice")
        command("systemd-run", "--scope", "--slice=app.slice", "--unit=neighbour", "-p", "CPUWeight=100", "sh", "-c",
                "sleep 100000 > /dev/null 2>&1 &")
        command("systemd-run", "--scope", "--slice=app.slice", "--unit=game-1", "sh", "-c", "sleep 100000 > /dev/null 2>&1 &")
        becomes("game-1.scope", "500")
        systemctl("daemon-reload")
        equal(weight("game-1.scope"), "500")
        wait_for(lambda: record() == {"user.slice": "700", "game-1.scope": "500"}, lambda: str(record()))
        systemctl("stop", "game-1.scope")
        wait_for(lambda: record() == {"user.slice": "700"}, lambda: str(record()))
        systemctl("stop", "neighbour.scope")
        command("systemctl", "revert", "app.slice")

    def a_weight_that_an_administrator_sets_stays(self):
        systemctl("set-property", "--runtime", "user.slice", "CPUWeight=300")
        systemctl("reload", UNIT)
        has_told("user.slice: somebody has changed its CPUWeight")
        equal((weight("user.slice"), record()), ("300", {}))

    def a_choice_made_before_the_start_stays(self):
        systemctl("restart", UNIT)
        systemctl("start", WEIGHTS)
        has_told("keeps the CPUWeight")
        systemctl("stop", UNIT)
        equal((weight("user.slice"), show("ActiveState", WEIGHTS)), ("300", "inactive"))
        systemctl("set-property", "--runtime", "user.slice", "CPUWeight=", "CPUQuota=190%")
        systemctl("start", UNIT, WEIGHTS)
        has_told("keeps the CPUQuotaPerSecUSec")
        equal(weight("user.slice"), UNSET)
        systemctl("set-property", "--runtime", "user.slice", "CPUQuota=", "CPUWeight=idle")
        systemctl("restart", UNIT, WEIGHTS)
        equal((weight("user.slice"), record()), ("idle", {}))
        systemctl("stop", UNIT)
        equal(weight("user.slice"), "idle")
        command("systemctl", "revert", "user.slice")
        equal(weight("user.slice"), UNSET)

    def a_killed_weights_service_is_replaced(self):
        systemctl("start", UNIT, WEIGHTS)
        becomes("user.slice", "700")
        pid = kill(WEIGHTS)
        wait_for(lambda: int(show("MainPID", WEIGHTS)) not in (0, pid) and show("ActiveState", WEIGHTS) == "active", "another")
        becomes("user.slice", "700")

    def a_killed_daemon_is_replaced_with_its_weights(self):
        pid = kill(UNIT)
        wait_for(lambda: int(show("MainPID")) not in (0, pid) and show("ActiveState") == "active", "another daemon")
        wait_for(lambda: show("ActiveState", WEIGHTS) == "active", "weights beside it")
        becomes("user.slice", "700")
        systemctl("stop", UNIT)
        equal((weight("user.slice"), record()), (UNSET, {}))

    def weights_end_when_the_user_leaves_the_seat(self):
        os.unlink(CONFIG)
        systemctl("start", UNIT, WEIGHTS)
        becomes("user.slice", INTERACTIVE)
        leave()
        becomes("user.slice", UNSET)
        becomes(NAMED, UNSET)

    def a_unit_s_class_sets_its_weight_and_tasks(self):
        shutil.copy("/bin/sleep", "/run/classy")
        write("/run/systemd/system/classy.service", CLASSY)
        systemctl("daemon-reload")
        systemctl("start", "classy.service")
        becomes("classy.service", MAINTENANCE)
        pid = int(show("MainPID", "classy.service"))
        wait_for(lambda: os.getpriority(os.PRIO_PROCESS, pid) == 4, lambda: command("schedqos", "explain", str(pid)))
        drop_in("class", "[X-SchedQoS]\nClass=QOS_USER_INTERACTIVE\n", ["classy.service"])
        wait_for(lambda: os.getpriority(os.PRIO_PROCESS, pid) == -4, lambda: command("schedqos", "explain", str(pid)))
        becomes("classy.service", INTERACTIVE)
        if "classy.service.d/class.conf:2" not in command("schedqos", "explain", str(pid)):
            raise AssertionError(command("schedqos", "explain", str(pid)))
        systemctl("stop", "classy.service")
        shutil.rmtree("/run/systemd/system/classy.service.d")
        os.unlink("/run/systemd/system/classy.service")
        command("systemctl", "revert", "classy.service")
        systemctl("daemon-reload")

    def a_user_s_units_get_user_weights(self):
        write(CONFIG, json.dumps({"schedqos": {"user_weights": USERS}}))
        install_desktop()
        systemctl("start", WEIGHTS)
        of_user("daemon-reload")
        of_user("start", "session.slice", "app.slice")
        before = users("session.slice"), users("app.slice")
        equal(before, ("100", "100"))
        of_user("start", "schedqos-weights.service")
        users_become("500", "50")
        with open(USERS_GROUP + "/session.slice/cpu.weight", encoding="ascii") as file:
            equal(file.read().strip(), "500")

    def a_user_s_choice_stays(self):
        of_user("set-property", "--runtime", "app.slice", "CPUWeight=300")
        of_user("restart", "schedqos-weights.service")
        users_become("500", "300")

    def user_weights_end_with_the_daemon(self):
        systemctl("stop", UNIT)
        users_become("100", "300")
        systemctl("start", UNIT, WEIGHTS)
        users_become("500", "300")

    def a_killed_weights_service_of_a_user_is_replaced(self):
        pid = int(users("schedqos-weights.service", "MainPID"))
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: users("schedqos-weights.service", "MainPID") not in ("0", str(pid)), "another")
        users_become("500", "300")
        of_user("stop", "schedqos-weights.service")
        users_become("100", "300")
        equal(os.listdir("/run/user/%d/schedqos" % USER), ["weights.lock"])
        os.unlink(CONFIG)
        systemctl("reload", UNIT)

    def a_stop_leaves_no_weight_or_record(self):
        systemctl("stop", "delegated.service", TIMER)
        systemctl("stop", UNIT)
        equal((glob.glob(RECORD + "/*.s*"), weight("user.slice"), weight(NAMED)), ([], UNSET, UNSET))
        wait_for(lambda: controllers() == self._controllers, lambda: "%s, not %s" % (controllers(), self._controllers))
        drop_ins = glob.glob("/run/systemd/system.control/*/*")
        for path in drop_ins:
            with open(path, encoding="ascii") as file:
                equal([line for line in file.read().splitlines() if "=" in line and not line.endswith("=")], [])
        command("loginctl", "disable-linger", "user")
        systemctl("stop", MANAGER)
        equal(systemctl("--failed", "--no-legend", "--plain"), "")
