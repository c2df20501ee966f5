# SPDX-License-Identifier: GPL-2.0-only
"""
How CPU time is divided between groups on real machines: each layout puts the programs of a desktop into cpu cgroups,
all of the usual weight, or as the setting `weights` has them. By systemd's slices where it runs, else by folders of the
cpu controller, v2 or v1.
"""

import contextlib
import os
import subprocess
from pathlib import Path

from .environment import cpu_group
from .knob import write
from .process import Failure, until

# What is not named stays where the bench runs. Names nest as systemd's slices do: user-app is in user. The daemon has a
# group of its own at the top, as its unit has: at nice -20 outside of all groups it would be ranked against whole
# groups, as no task is where systemd runs.
LAYOUTS = {
    "flat": {},
    # systemd's for a user: compositor and sound | all apps together.
    "session": {"frames": "user-session", "sound": "user-session", "shell": "user-app", "build": "user-app",
                "daemon": "daemon"},
    # An app | a build that is a service.
    "services": {"frames": "user-app", "sound": "user-app", "shell": "user-app", "build": "system-build",
                 "daemon": "daemon"},
    # Each app in a scope with a weight; the frames are a browser's.
    "apps": {"frames": "user-app-browser", "sound": "user-session", "shell": "user-app-terminal",
             "build": "user-app-build", "daemon": "daemon"},
}
NAMES = tuple(LAYOUTS)

# With weights: that of the user beside 100 of system.slice, and by default that of the session beside 100 of its apps, as the
# configuration gives them that is shipped; and the most that cgroups take.
USER_WEIGHT, SESSION_WEIGHT, WEIGHT_MAX = 244, 125, 10000

_BASE = "schedqosbench"
_SYSTEMD = Path("/run/systemd/system")
_V1 = (Path("/sys/fs/cgroup/cpu,cpuacct"), Path("/sys/fs/cgroup/cpu"))
_V2 = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
_GONE_TIMEOUT = 60

# A program that becomes another one in a group.
_ENTER = 'echo $$ > "$0" && exec "$@"'


def _has_cpu(root):
    try:
        return "cpu" in (root / "cgroup.controllers").read_text(encoding="ascii").split()
    except OSError:
        return False


def hierarchy():
    """(root of the hierarchy with the cpu controller, whether it is v2), or None."""
    for root in _V1:
        if os.access(root / "cgroup.procs", os.W_OK):
            return root, False
    return next(((root, True) for root in _V2 if _has_cpu(root) and os.access(root / "cgroup.procs", os.W_OK)), None)


def can_be_made():
    return _SYSTEMD.is_dir() or hierarchy() is not None


def _ancestors(name):
    """From the base on: base, base/app, base/app/build."""
    parts = [_BASE, *name.split("-")]
    return [parts[:count] for count in range(1, len(parts) + 1)]


class _Slices:
    """By the service manager, which owns the groups."""

    def __init__(self, names, weights):
        self.weights = {"-".join([_BASE, name]) + ".slice": weight for name, weight in weights.items()}
        self.units = list(dict.fromkeys("-".join(parts) + ".slice" for name in names for parts in _ancestors(name)))

    def make(self, stack):
        stack.callback(self._remove)
        for unit in self.units:
            _systemctl("set-property", "--runtime", unit, f"CPUWeight={self.weights.get(unit, 100)}")

    def _remove(self):
        _systemctl("stop", self.units[0])
        _systemctl("revert", *self.units)

    def enter(self, stack, name, pids):
        """Its units are the manager's: the daemon stays in the bench's own, which is in a group as well."""

    def prefix(self, name):
        return ["systemd-run", "--scope", "--quiet", "--collect", f"--slice={_BASE}-{name}.slice"]


def _systemctl(*arguments):
    run = subprocess.run(["systemctl", *arguments], capture_output=True, text=True, check=False)
    if run.returncode:
        raise Failure(f"systemctl {' '.join(arguments)}: {run.stderr.strip()}")


class _Folders:
    def __init__(self, names, weights, root, unified):
        self.root, self.unified = root, unified
        self.weights = {root.joinpath(_BASE, *name.split("-")): weight for name, weight in weights.items()}
        self.folders = list(dict.fromkeys(root.joinpath(*parts) for name in names for parts in _ancestors(name)))

    def make(self, stack):
        for folder in self.folders:
            if self.unified:
                _control(stack, folder.parent)
            folder.mkdir(exist_ok=True)
            stack.callback(_remove, folder)
            weight = self.weights.get(folder)
            if weight and self.unified:
                write(folder / "cpu.weight", str(weight))
            elif weight:
                write(folder / "cpu.shares", str(weight * 1024 // 100))

    def _procs(self, name):
        return self.root.joinpath(_BASE, *name.split("-"), "cgroup.procs")

    def enter(self, stack, name, pids):
        if pids:
            stack.callback(_leave, self._procs(name), self.root / cpu_group().lstrip("/") / "cgroup.procs")
        _move(pids, self._procs(name))

    def prefix(self, name):
        return ["sh", "-c", _ENTER, str(self._procs(name))]


def _control(stack, folder):
    knob = folder / "cgroup.subtree_control"
    if "cpu" not in knob.read_text(encoding="ascii").split():
        write(knob, "+cpu")
        stack.callback(write, knob, "-cpu")


def _move(pids, procs):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            write(procs, str(pid))


def _leave(procs, own):
    """All that are in there by now: they may have forked."""
    def empty():
        pids = procs.read_text(encoding="ascii").split()
        _move(pids, own)
        return not pids
    until(empty, _GONE_TIMEOUT, f"{procs} is empty")


def _remove(folder):
    def gone():
        with contextlib.suppress(OSError):
            folder.rmdir()
        return not folder.exists()
    until(gone, _GONE_TIMEOUT, f"{folder} can be removed")


@contextlib.contextmanager
def made(layout, daemon=(), session_weight=None):
    """
    A context with the layout's groups, in which the processes of the daemon are in theirs; yields prefix(program): what
    puts its command line into its group. With a weight for the session's group, that of the user has one, too.
    """
    group_of = LAYOUTS[layout]
    if not group_of:
        yield lambda program: []
        return
    names = set(group_of.values())
    weights = {"user": USER_WEIGHT, "user-session": session_weight} if session_weight else {}
    groups = _Slices(sorted(names), weights) if _SYSTEMD.is_dir() else _Folders(sorted(names), weights, *hierarchy())
    with contextlib.ExitStack() as stack:
        groups.make(stack)
        groups.enter(stack, group_of["daemon"], daemon)
        yield lambda program: groups.prefix(group_of[program])
