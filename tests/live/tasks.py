# SPDX-License-Identifier: GPL-2.0-only
"""Tasks, as /proc shows them."""

import contextlib
import os
import re


def stat(tid):
    """The fields of /proc/TID/stat behind the name, the state first; none when the thread is gone."""
    try:
        with open("/proc/%d/stat" % tid, "rb") as file:
            return file.read().rpartition(b")")[2].decode().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def start_time(tid):
    """Clock ticks since boot; None when the thread is gone."""
    fields = stat(tid)
    return int(fields[19]) if fields else None


def state(tid):
    """One letter; None when the thread is gone."""
    fields = stat(tid)
    return fields[0] if fields else None


def comm(tid):
    try:
        with open("/proc/%d/comm" % tid, "rb") as file:
            return file.read()[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return b"(gone)"


def tids(pid):
    """The threads of a process."""
    try:
        return [int(tid) for tid in os.listdir("/proc/%d/task" % pid)]
    except (FileNotFoundError, ProcessLookupError):
        return []


def open_files(pid):
    """What each of a process's descriptors refers to, by number; without those that it closes meanwhile."""
    found = {}
    for name in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):
            found[int(name)] = os.readlink("/proc/%d/fd/%s" % (pid, name))
    return found


def reads(pid):
    """How often a process called read(2)."""
    with open("/proc/%d/io" % pid, encoding="ascii") as io:
        return int(re.search(r"(?m)^syscr: (\d+)", io.read()).group(1))


def sleeps(pid):
    """How often a process went to sleep."""
    with open("/proc/%d/status" % pid, encoding="utf-8", errors="replace") as status:
        return int(re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", status.read()).group(1))


def descendants(pid):
    """All processes below this one."""
    found = []
    for tid in tids(pid):
        try:
            with open("/proc/%d/task/%d/children" % (pid, tid), encoding="ascii") as children:
                for child in map(int, children.read().split()):
                    found += [child, *descendants(child)]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found
