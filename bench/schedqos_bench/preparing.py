# SPDX-License-Identifier: GPL-2.0-only
"""--prepare: what the announcement assumes (no autogroup, no fairness between groups), and back."""

import contextlib
import os
from pathlib import Path

from .knob import put_back, write

AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")
CGROUP_ROOTS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
CPU_V1_ROOTS = (Path("/sys/fs/cgroup/cpu,cpuacct"), Path("/sys/fs/cgroup/cpu"))

# A group loses these when the controller is taken from it.
_KEPT = ("cpu.weight", "cpu.idle", "cpu.max", "cpu.max.burst", "cpu.uclamp.min", "cpu.uclamp.max")


def autogroup_off(stack, log, knob=AUTOGROUP):
    """Turns it off, after putting the undo on the stack."""
    try:
        was = knob.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return
    if was != "0":
        stack.enter_context(put_back(knob, was))
        write(knob, "0")
        log("autogroup is off for the run")


def _controlled(root):
    """The groups of the unified hierarchy that divide CPU time among their children, parents first."""
    found = []
    for folder, _, names in os.walk(root):
        if "cgroup.subtree_control" in names:
            path = Path(folder)
            if "cpu" in (path / "cgroup.subtree_control").read_text(encoding="ascii").split():
                found.append(path)
    return found


def _kept(groups):
    """{file: text} of what the children of these groups are going to lose."""
    found = {}
    for group in groups:
        for path in (child / name for child in group.iterdir() if child.is_dir() for name in _KEPT):
            with contextlib.suppress(OSError):
                found[path] = path.read_text(encoding="ascii").strip()
    return found


def _restore_controller(groups, kept):
    """A group may have been removed meanwhile."""
    for group in groups:
        with contextlib.suppress(OSError):
            write(group / "cgroup.subtree_control", "+cpu")
    for path, text in kept.items():
        with contextlib.suppress(OSError):
            if path.read_text(encoding="ascii").strip() != text:
                write(path, text)


def flat_v2(stack, log, roots=CGROUP_ROOTS):
    """Takes the cpu controller from all groups, the innermost first, as the kernel wants it."""
    for root in roots:
        groups = _controlled(root)
        if not groups:
            continue
        stack.callback(_restore_controller, groups, _kept(groups))
        for group in reversed(groups):
            with contextlib.suppress(FileNotFoundError):
                write(group / "cgroup.subtree_control", "-cpu")
        log(f"the cgroup cpu controller is off for the run in {len(groups)} groups")


def flat_v1(stack, log, roots=CPU_V1_ROOTS, membership=Path("/proc/self/cgroup")):
    """In v1 the controller cannot be turned off, so we and all that we start move from our group to the root."""
    own = [line.split(":", 2)[2] for line in membership.read_text(encoding="utf-8").splitlines()
           if "cpu" in line.split(":", 2)[1].split(",")]
    for root in roots:
        if own and own[0] != "/" and (root / "cgroup.procs").exists():
            stack.callback(write, root / own[0].lstrip("/") / "cgroup.procs", str(os.getpid()))
            write(root / "cgroup.procs", str(os.getpid()))
            log(f"left the cpu cgroup {own[0]} for the run")
            return


@contextlib.contextmanager
def prepared(log):
    """A context in which the machine is as the announcement assumes."""
    with contextlib.ExitStack() as stack:
        autogroup_off(stack, log)
        flat_v2(stack, log)
        flat_v1(stack, log)
        yield
