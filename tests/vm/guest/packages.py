#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The life of the Debian packages on a machine that runs systemd, step by step: the previous version is installed,
upgraded under load, tested as the package's own tests do, removed and purged. The result goes to the machine outside.
"""

import glob
import json
import os
import pwd
import signal
import sys

sys.dont_write_bytecode = True

# Import this first: it sets the path on which the other modules are found.
from steps import (  # noqa: E402
    CONFIG, TOP, UNIT, Steps, command, equal, knobs, show, systemctl, take, wanted_knobs, write,
)
import methods  # noqa: E402
from attributes import NORMAL, classes, fair, set_attr  # noqa: E402
from programs import Program, sleep_program  # noqa: E402
from waiting import wait_for  # noqa: E402

DEBS = os.path.join(TOP, "debs")
OLDER = os.path.join(DEBS, "older.deb")
NEW = [os.path.join(DEBS, name) for name in ("schedqos.deb", "schedqos-bench.deb")]
DESKTOP = os.path.join(DEBS, "schedqos-desktop.deb")
BRIDGE = "schedqos-bridge.service"
# A program that has a rule in every version.
TAGGED = "rclone"
OURS = '{ "schedqos": { "log": "info" } }\n'
# A loop of processes that end at once.
LOAD = "while :; do /bin/true; done"
# Paths that change by themselves, or with the installation of any package.
LOGS = ("var/log/journal", "var/log/dpkg.log", "var/lib/dpkg", "var/lib/systemd", "var/cache", "tmp", "var/tmp",
        "schedqos")


def dpkg(*args):
    return command("dpkg", *args)


def version(package="schedqos"):
    return command("dpkg-query", "-W", "-f", "${Version}", package)


def version_of(deb):
    return command("dpkg-deb", "-f", deb, "Version")


def files():
    """Returns all paths on the disk, except logs and the records of installed packages."""
    ours = command("find", "/", "-xdev", *(word for path in LOGS for word in ("-path", "/" + path, "-prune", "-o")),
                   "-print")
    return set(ours.splitlines())


def status():
    return json.loads(command("schedqos", "status", "--json"))


def wait_for_class(task, name):
    """
    Waits until the task carries the class as in the recommended mapping, or as in the announcement's, which an older
    version has.
    """
    wanted = {"QOS_BACKGROUND": fair(NORMAL, 4, 0, 256), "QOS_DEFAULT": fair(NORMAL, 2, 0, 512)}
    wait_for(lambda: task.attr() in (wanted[name], classes()[name]), lambda: "%s: carries %s" % (name, task.attr()))


class Packages(Steps):
    def __init__(self):
        super().__init__()
        self.files_before = self.users_before = set()
        self.lowered = None

    def the_machine_is_up(self):
        self.note_what_is_there([TAGGED, "100000"])
        self.files_before, self.users_before = files(), set(pwd.getpwall())

    def an_installation_enables_and_starts_the_service(self):
        """As README.Debian says. Installs the previous version if there is one."""
        dpkg("-i", OLDER if os.path.exists(OLDER) else NEW[0])
        equal((systemctl("is-enabled", UNIT), show("ActiveState")), ("enabled", "active"))
        wait_for_class(self.task, "QOS_BACKGROUND")
        equal(knobs(), wanted_knobs())
        self.lowered = Program([TAGGED, "100000"], sleep_program())
        wait_for_class(self.lowered, "QOS_BACKGROUND")
        os.setpriority(os.PRIO_PROCESS, self.lowered.pid, 15)

    def an_upgrade_under_load_keeps_classes_and_choices(self):
        """The configuration stays as it was written, too."""
        write(CONFIG, OURS)
        pid = show("MainPID")
        loads = [Program(["sh", "-c", LOAD], "/bin/sh") for _ in range(3)]
        try:
            dpkg("--force-confold", "-i", *NEW)
            equal(version(), version_of(NEW[0]))
            equal(show("ActiveState"), "active")
            if show("MainPID") == pid:
                raise AssertionError("it is the old daemon that runs")
            equal(status()["version"], command("schedqos", "--version").split()[-1])
            wait_for_class(self.task, "QOS_BACKGROUND")
            equal(self.lowered.attr().nice, 15)
            equal(knobs(), wanted_knobs())
        finally:
            for load in loads:
                load.end()
        with open(CONFIG, encoding="ascii") as file:
            equal(file.read(), OURS)

    def a_disabled_service_stays_disabled(self):
        systemctl("disable", "--now", UNIT)
        equal(self.lowered.attr().nice, 15)
        self.lowered.end()
        self.check_restored()
        dpkg("-i", *NEW)
        equal(show("ActiveState"), "inactive")
        systemctl("is-enabled", UNIT, status=1)
        systemctl("enable", "--now", UNIT)
        wait_for_class(self.task, "QOS_BACKGROUND")

    def the_desktop_part_can_be_upgraded_and_can_go_and_return(self):
        """Each time, the bridge may use the daemon's socket, and nothing wants the bridge's unit once that is gone."""
        for _ in range(2):
            for _ in range(2):
                dpkg("-i", DESKTOP)
                command("busctl", "call", methods.NAME, methods.PATH, methods.NAME, "Status")
                equal(show("ActiveState", BRIDGE), "active")
            dpkg("-r", "schedqos-desktop")
            equal((show("LoadState", BRIDGE), show("ActiveState", BRIDGE)), ("not-found", "inactive"))
            systemctl("restart", UNIT)
        wait_for_class(self.task, "QOS_BACKGROUND")

    def the_tests_of_the_package_pass(self):
        with open(os.path.join(DEBS, "tests/control"), encoding="ascii") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("Tests:")]
        for name in names:
            print(command(os.path.join(DEBS, "tests", name)), flush=True)
        write(CONFIG, OURS)
        systemctl("start", UNIT)
        wait_for_class(self.task, "QOS_BACKGROUND")

    def a_removal_puts_everything_back(self):
        somebodys = Program(["somebodys", "100000"], sleep_program())
        wait_for_class(somebodys, "QOS_DEFAULT")
        set_attr(somebodys.pid, nice=7)
        dpkg("-r", "schedqos-bench", "schedqos")
        equal(somebodys.attr().nice, 7)
        somebodys.end()
        self.check_restored()
        equal([path for path in glob.glob("/run/*schedqos*")], [])
        equal(os.path.exists(CONFIG), True)
        equal(show("LoadState"), "not-found")

    def a_removal_after_a_kill_puts_everything_back(self):
        """systemd has no time to start another daemon."""
        dpkg("-i", NEW[0])
        wait_for_class(self.task, "QOS_BACKGROUND")
        os.kill(int(show("MainPID")), signal.SIGKILL)
        dpkg("-r", "schedqos")
        self.wait_for_restore()
        self.check_restored()

    def a_purge_leaves_nothing(self):
        dpkg("-P", "schedqos", "schedqos-bench", "schedqos-desktop")
        equal(sorted(files() ^ self.files_before), [])
        # The user stays, as in other packages of Debian, because it may own files.
        equal({user for user in pwd.getpwall() if user.pw_name != "schedqos"}, self.users_before)

    def no_unit_has_failed(self):
        self.task.end()
        equal(systemctl("--failed", "--no-legend", "--plain"), "")
        equal(systemctl("is-system-running"), "running")


if __name__ == "__main__":
    take("packages", Packages())
