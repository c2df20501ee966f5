#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The life of the installed service on a machine that runs systemd, step by step. The result goes to the machine outside.
"""

import errno
import json
import os
import signal
import socket
import sys

sys.dont_write_bytecode = True

# Import this first: it sets the path on which the other modules are found.
from steps import (  # noqa: E402
    CONFIG, RESTORE, TOP, UNIT, Steps, command, equal, knobs, show, systemctl, take, take_all, wanted_knobs, write,
    write_knob,
)
from attributes import NORMAL, classes, fair  # noqa: E402
from programs import Program, sleep_program  # noqa: E402
from desktop import Desktop  # noqa: E402
from login import USER  # noqa: E402
from scopes import Scopes  # noqa: E402
from units import drop_in, journal  # noqa: E402
from waiting import wait_for  # noqa: E402
from weights import Weights  # noqa: E402

# Sockets that give root's rights to root, and paths that an attacker who controls the daemon must not write or run.
SOCKETS = ("/run/docker.sock", "/run/containerd/containerd.sock", "/var/lib/lxd/unix.socket")
CLOSED = ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/yama/ptrace_scope", "/proc/sys/vm/mmap_min_addr",
          "/proc/sys/kernel/sched_rr_timeslice_ms", "/sys/devices/system/cpu/cpu1/online", "/proc/1/mem", "/etc/passwd")
OWN_KNOBS = {"/proc/sys/kernel/sched_rr_timeslice_ms": "40", "/sys/block/nvme0n1/queue/read_ahead_kb": "512"}
OPENED = "[Service]\nReadWritePaths=/proc/sys/kernel/sched_rr_timeslice_ms -/no/such /sys/block/nvme0n1/queue\n"
OWN_PROFILE = {"own": {"sysctl": {"kernel.sched_rr_timeslice_ms": 40}, "block": {"nvme*": {"read_ahead_kb": 512}}}}
# A minute is too long for a test, and a few seconds are too short for a slow guest.
WATCHDOG = "[Service]\nWatchdogSec=20\n"
RESTART_LATE = "[Service]\nRestartSec=600\n"
GIVEN_UP_SOON = "[Unit]\nStartLimitIntervalSec=3600\nStartLimitBurst=2\n"


def rule(qos, **settings):
    """Returns a configuration with the announcement's mapping, whose classes the tests know."""
    return json.dumps({"schedqos": {"mapping": "announcement", **settings}, "boot-test": {"qos": qos}})


def kill_daemon(number=signal.SIGKILL):
    """
    Sends the signal to the daemon and returns its pid. Fails if no daemon runs: its pid would be 0, which is our own
    process group.
    """
    pid = int(show("MainPID"))
    if not pid:
        raise AssertionError("no daemon runs")
    os.kill(pid, number)
    return pid


def suspensions():
    """Returns how often the machine has been suspended."""
    with open("/sys/power/suspend_stats/success", encoding="ascii") as file:
        return int(file.read())


def seen_by_the_daemon(path):
    """Returns the path in the daemon's file system, as seen from outside."""
    return "/proc/%s/root%s" % (show("MainPID"), path)


def refused(function, *args):
    """Returns the name of the error that the call raises, or None."""
    try:
        function(*args)
        return None
    except OSError as error:
        return errno.errorcode[error.errno]


class Boot(Steps):
    def the_machine_is_up(self):
        self.note_what_is_there(["boot-test", "100000"])
        command("useradd", "-u", str(USER), "user")
        for path in SOCKETS:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with socket.socket(socket.AF_UNIX) as stand_in:
                stand_in.bind(path)

    def enabling_starts_the_service(self):
        write(CONFIG, rule("QOS_BACKGROUND"))
        systemctl("enable", "--now", UNIT)
        equal(show("ActiveState"), "active")
        equal(systemctl("is-enabled", UNIT), "enabled")

    def the_service_is_ready_once_all_tasks_are_scanned(self):
        """READY=1 is sent after the first scan, so the test need not wait."""
        equal(self.task.attr(), classes()["QOS_BACKGROUND"])
        if "tasks" not in show("StatusText"):
            raise AssertionError("StatusText is " + show("StatusText"))

    def the_start_is_in_the_journal(self):
        lines = [line for line in journal() if "is listening" in line["MESSAGE"]]
        equal(len(lines), 1)
        equal((lines[0]["_PID"], lines[0]["_SYSTEMD_UNIT"]), (show("MainPID"), UNIT))

    def status_names_the_daemon_of_the_service(self):
        equal(str(json.loads(command("schedqos", "status", "--json"))["pid"]), show("MainPID"))

    def the_confined_daemon_can_set_its_knobs(self):
        """No knob is refused, and nothing is logged as a warning."""
        equal(knobs(), wanted_knobs())
        equal(json.loads(command("schedqos", "status", "--json"))["knob_refusals"], [])
        equal([line["MESSAGE"] for line in journal() if int(line["PRIORITY"]) <= 4], [])

    def the_daemon_sees_no_sockets_of_others(self):
        equal([path for path in SOCKETS if os.path.exists(seen_by_the_daemon(path))], [])
        equal([path for path in SOCKETS if not os.path.exists(path)], [])
        found = {os.path.join(folder, name).partition("/run/")[2]
                 for folder, _, names in os.walk(seen_by_the_daemon("/run")) for name in names}
        needed = "schedqos/", "systemd/userdb/", "systemd/seats/", "systemd/users/"
        equal({path for path in found if not path.startswith(needed)}, {"systemd/notify"})

    def the_daemon_can_write_nothing_else(self):
        for path in (*CLOSED, "/run/mine", "/var/lib/mine", "/usr/bin/mine"):
            if os.path.exists(os.path.dirname(path)):
                equal((path, refused(os.open, seen_by_the_daemon(path), os.O_WRONLY | os.O_CREAT)), (path, "EROFS"))

    def the_daemon_can_run_nothing_but_itself(self):
        equal(refused(os.execv, seen_by_the_daemon("/bin/sh"), ["sh", "-c", "exit 1"]), "EACCES")
        command(seen_by_the_daemon("/usr/bin/schedqos"), "--version")

    def the_daemon_is_among_the_last_to_be_killed_without_memory(self):
        with open("/proc/%s/oom_score_adj" % show("MainPID"), encoding="ascii") as file:
            equal(file.read(), "-900\n")

    def other_knobs_are_refused_until_a_drop_in_opens_them(self):
        """The refusal says what to do."""
        before = knobs(OWN_KNOBS)
        write("/etc/schedqos/sched_profiles.json", json.dumps(OWN_PROFILE))
        write(CONFIG, rule("QOS_BACKGROUND", sched_profile="own"))
        systemctl("restart", UNIT)
        refusals = json.loads(command("schedqos", "status", "--json"))["knob_refusals"]
        equal((len(refusals), [text for text in refusals if "ReadWritePaths" not in text]), (2, []))
        equal(knobs(OWN_KNOBS), before)
        drop_in("knobs", OPENED, (UNIT, RESTORE))
        systemctl("restart", UNIT)
        equal(json.loads(command("schedqos", "status", "--json"))["knob_refusals"], [])
        equal(knobs(OWN_KNOBS), OWN_KNOBS)
        systemctl("stop", UNIT)
        equal(knobs(OWN_KNOBS), before)
        os.unlink("/etc/schedqos/sched_profiles.json")
        write(CONFIG, rule("QOS_BACKGROUND"))
        systemctl("start", UNIT)

    def the_recommended_mapping_is_in_force_by_default(self):
        """No configuration names a mapping."""
        write(CONFIG, '{ "boot-test": { "qos": "QOS_BACKGROUND" } }')
        systemctl("reload", UNIT)
        wanted = fair(NORMAL, 4, 0, 256)
        wait_for(lambda: self.task.attr() == wanted, lambda: "%s, not %s" % (self.task.attr(), wanted))

    def a_reload_applies_the_configuration(self):
        write(CONFIG, rule("QOS_USER_INTERACTIVE"))
        systemctl("reload", UNIT)
        self.becomes("QOS_USER_INTERACTIVE")

    def scopes(self):
        take_all(Scopes(self.before))

    def weights(self):
        take_all(Weights())

    def desktop(self):
        take_all(Desktop())

    def the_service_works_as_before_these_steps(self):
        write(CONFIG, rule("QOS_USER_INTERACTIVE"))
        systemctl("restart", UNIT)  # these steps may have failed while it ran
        self.becomes("QOS_USER_INTERACTIVE")

    def layouts_of_the_bench_are_slices_that_are_removed(self):
        """The slices are real, and gone afterwards."""
        sys.path.insert(0, os.path.join(TOP, "bench"))
        from schedqos_bench import layouts
        with layouts.made("apps") as prefix:
            for program, name in layouts.LAYOUTS["apps"].items():
                group = command(*prefix(program), "cat", "/proc/self/cgroup")
                path = "/".join("schedqosbench-%s.slice" % "-".join(name.split("-")[:count + 1])
                                for count in range(name.count("-") + 1))
                if "/schedqosbench.slice/%s/" % path not in group:
                    raise AssertionError("%s: %s" % (program, group))
        equal(systemctl("list-units", "--no-legend", "--plain", "schedqosbench*"), "")

    def a_suspend_changes_nothing(self):
        """The machine outside wakes this one. The daemon sets again what the kernel has lost."""
        pid, suspended = show("MainPID"), suspensions()
        write_knob("/sys/power/mem_sleep", "deep")
        write_knob("/sys/power/state", "mem")
        equal(suspensions(), suspended + 1)
        equal(self.task.attr(), classes()["QOS_USER_INTERACTIVE"])
        # When the kernel wakes, it sets its own base slice again.
        wait_for(lambda: knobs() == wanted_knobs(), lambda: "%r, not %r" % (knobs(), wanted_knobs()))
        later = Program(["boot-test", "100000"], sleep_program())
        try:
            wait_for(lambda: later.attr() == classes()["QOS_USER_INTERACTIVE"], "a class of what is started later")
        finally:
            later.end()
        equal((show("MainPID"), show("NRestarts"), show("ActiveState")), (pid, "0", "active"))

    def a_reload_of_garbage_is_refused(self):
        """The configuration in force stays."""
        pid = show("MainPID")
        write(CONFIG, "garbage\n")
        systemctl("reload", UNIT, status=1)
        equal((show("ActiveState"), show("MainPID")), ("active", pid))
        equal(self.task.attr(), classes()["QOS_USER_INTERACTIVE"])
        write(CONFIG, rule("QOS_USER_INTERACTIVE"))
        systemctl("reload", UNIT)

    def a_daemon_that_hangs_is_replaced(self):
        """The watchdog ends it. The next one knows what tasks had at first."""
        drop_in("watchdog", WATCHDOG)
        systemctl("restart", UNIT)
        pid = kill_daemon(signal.SIGSTOP)
        wait_for(lambda: int(show("MainPID")) not in (0, pid) and show("ActiveState") == "active", "a new daemon")
        equal(show("NRestarts"), "1")
        self.becomes("QOS_USER_INTERACTIVE")

    def a_killed_daemon_is_replaced(self):
        pid = kill_daemon()
        wait_for(lambda: int(show("MainPID")) not in (0, pid) and show("ActiveState") == "active", "a new daemon")
        self.becomes("QOS_USER_INTERACTIVE")

    def a_stop_between_a_crash_and_the_restart_puts_everything_back(self):
        """No daemon runs then, so the other unit does it."""
        drop_in("pause", RESTART_LATE)
        try:
            kill_daemon()
            wait_for(lambda: show("SubState") == "auto-restart", "the pause before the restart")
            systemctl("stop", UNIT)
            equal(show("ActiveState"), "inactive")
            self.wait_for_restore()
            self.check_restored()
        finally:
            drop_in("pause", "")
        systemctl("start", UNIT)
        self.becomes("QOS_USER_INTERACTIVE")

    def a_stop_puts_everything_back(self):
        systemctl("disable", "--now", UNIT)
        equal(show("ActiveState"), "inactive")
        self.check_restored()
        self.wait_for_restore()

    def after_too_many_crashes_everything_is_put_back(self):
        """The other unit does it, because no daemon is left."""
        drop_in("limit", GIVEN_UP_SOON)
        # Earlier starts then no longer count. Not by name, because that works only while the unit is loaded.
        systemctl("reset-failed")
        systemctl("start", UNIT)
        self.becomes("QOS_USER_INTERACTIVE")
        for _ in range(2):
            wait_for(lambda: show("ActiveState") == "active" and int(show("MainPID")), "a daemon")
            pid = kill_daemon()
            wait_for(lambda: int(show("MainPID")) != pid, "its end")
        wait_for(lambda: show("ActiveState") == "failed", "the end of all attempts")
        self.wait_for_restore()
        self.check_restored()
        # The weights service may have failed, too, because it found no daemon. A pattern, because that unit may not be
        # loaded.
        systemctl("reset-failed", UNIT, "schedqos-weights*")

    def with_a_wrong_configuration_the_service_is_not_restarted(self):
        write(CONFIG, "garbage\n")
        systemctl("start", UNIT, status=1)
        equal((show("ActiveState"), show("ExecMainStatus"), show("NRestarts")), ("failed", "78", "0"))
        systemctl("reset-failed", UNIT)
        os.unlink(CONFIG)

    def no_unit_has_failed(self):
        self.task.end()
        equal(systemctl("--failed", "--no-legend", "--plain"), "")
        equal(systemctl("is-system-running"), "running")


if __name__ == "__main__":
    take("boot", Boot())
