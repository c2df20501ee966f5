# SPDX-License-Identifier: GPL-2.0-only
"""Shared by the tests under systemd: commands, units, knobs, and steps that are taken one after another."""

import glob
import os
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(TOP, "tests/live"), HERE]
os.environ.update(SCHEDQOS="/usr/bin/schedqos", LC_ALL="C", SYSTEMD_COLORS="0", SYSTEMD_BUS_TIMEOUT="300")
# On a busy host, a machine has been seen to take three minutes for a reload.
os.environ.setdefault("PATIENCE", "300")

from attributes import classes, differences, pristine, snapshot  # noqa: E402
from outside import tell  # noqa: E402
from programs import Program, sleep_program  # noqa: E402
from waiting import wait_for  # noqa: E402

UNIT = "schedqos.service"
RESTORE = "schedqos-restore.service"
CONFIG = "/etc/schedqos.json"
# Knobs that the default configuration sets, if the kernel has them.
KNOBS = {"/proc/sys/kernel/sched_autogroup_enabled": "0"}
# The word on the kernel's command line that names steps.
CHOSEN = "schedqos.steps="
GOVERNORS = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"


def command(*argv, status=0):
    """Runs a command, which must end with this status. Returns its output."""
    result = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            encoding="utf-8", errors="replace", check=False)
    if result.returncode != status:
        raise AssertionError("%s: exit status %d\n%s" % (" ".join(argv), result.returncode, result.stdout))
    return result.stdout.strip()


def systemctl(*args, **options):
    """
    Runs systemctl. Before a start it resets the unit's counter, because a fast machine starts a unit more often in a
    minute than StartLimitBurst= allows.
    """
    if args[0] in ("start", "restart"):
        command("systemctl", "reset-failed")
    return command("systemctl", *args, **options)


def install_desktop():
    """Installs what `make install-desktop` does, and does what it says is to be done next."""
    command("cp", "-a", os.path.join(TOP, "desktop/."), "/")
    command("systemd-sysusers")
    systemctl("daemon-reload")
    systemctl("reload", "dbus")
    systemctl("restart", UNIT)


def show(name, unit=UNIT):
    """Returns a property of the unit."""
    return systemctl("show", "--value", "-p", name, unit)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o644)


def knobs(paths=None):
    found = {}
    for path in filter(os.path.exists, paths or [*KNOBS, *glob.glob(GOVERNORS)]):
        with open(path, encoding="ascii") as file:
            found[path] = file.read().strip()
    return found


def write_knob(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(value)


def wanted_knobs():
    return {path: KNOBS.get(path, "schedutil") for path in knobs()}


def equal(found, wanted):
    if found != wanted:
        raise AssertionError("%r, not %r" % (found, wanted))


class Steps:
    """Runs the methods of a derived class in their order, each of them even if one before it has failed."""

    def __init__(self):
        self.before = self.knobs_before = {}
        self.task = None

    def becomes(self, name):
        wanted = classes()[name]
        wait_for(lambda: self.task.attr() == wanted, lambda: "%s: %s carries %s" % (name, wanted, self.task.attr()))

    def note_what_is_there(self, argv):
        """Starts the task to be tagged, and makes sure that the daemon's start will change something."""
        equal(systemctl("is-system-running", "--wait"), "running")
        self.task = Program(argv, sleep_program())
        for path in glob.glob(GOVERNORS):
            write_knob(path, "performance")
        pristine()  # Ask for this now, while the kernel's own base slice is in force; the answer is kept.
        self.before, self.knobs_before = snapshot(), knobs()
        if not self.knobs_before or any(self.knobs_before[path] == value for path, value in wanted_knobs().items()):
            raise AssertionError("nothing to set: %s" % self.knobs_before)

    def wait_for_restore(self):
        wait_for(lambda: show("ActiveState", RESTORE) in ("inactive", "failed"), "the other unit's end")
        equal(show("Result", RESTORE), "success")

    def check_restored(self):
        equal(self.task.attr(), pristine())
        equal(differences(self.before, snapshot()), [])
        equal(knobs(), self.knobs_before)


def steps_of(steps):
    """Returns the names of the steps, in order."""
    return [name for name in vars(type(steps)) if name[0] != "_"]


def take_all(steps):
    """Takes these steps, each of which builds on those before it, as a part of one step."""
    for name in steps_of(steps):
        try:
            getattr(steps, name)()
        except Exception as error:
            raise AssertionError("%s: %s" % (type(steps).__name__, name)) from error
        print("  ok    %s" % name, flush=True)


def chosen(names):
    """Returns the names of the steps to take: all, or the first and those named on the kernel's command line."""
    with open("/proc/cmdline", encoding="ascii") as file:
        words = [word[len(CHOSEN):].split(",") for word in file.read().split() if word.startswith(CHOSEN)]
    wanted = {name for word in words for name in word if name}
    if not wanted <= set(names):
        raise AssertionError("no such step: %s" % ", ".join(wanted - set(names)))
    return [name for name in names if not wanted or name in wanted or name == names[0]]


def take(name, steps):
    """Takes the steps, and reports their results to the machine outside."""
    passed, failed, trouble = 0, 0, ""
    began = time.monotonic()
    for step in chosen(steps_of(steps)):
        try:
            getattr(steps, step)()
            passed += 1
            print("ok      %s" % step, flush=True)
        except Exception:
            failed += 1
            trouble += "%s\n%s\n" % (step, traceback.format_exc())
            print("FAILED  %s\n%s" % (step, traceback.format_exc()), flush=True)
    if failed:
        trouble += command("journalctl", "-b", "--no-pager", "-n", "60", "-o", "short-monotonic")
    tell({"features": {}, "results": [
        {"name": name, "passed": passed, "failed": failed, "skipped": 0, "output": trouble, "skips": [],
         "seconds": round(time.monotonic() - began)}]})
    print("told", flush=True)
