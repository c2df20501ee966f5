# SPDX-License-Identifier: GPL-2.0-only
"""Reads facts about tasks from /proc."""

import contextlib
import os
import re


def stat(tid):
    """
    Returns the fields of /proc/TID/stat after the name, beginning with the state; an empty list if the thread is gone.
    """
    try:
        with open("/proc/%d/stat" % tid, "rb") as file:
            return file.read().rpartition(b")")[2].decode().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def start_time(tid):
    """Returns the start in clock ticks since boot; None if the thread is gone."""
    fields = stat(tid)
    return int(fields[19]) if fields else None


def state(tid):
    """Returns the letter of the state; None if the thread is gone."""
    fields = stat(tid)
    return fields[0] if fields else None


def comm(tid):
    try:
        with open("/proc/%d/comm" % tid, "rb") as file:
            return file.read()[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return b"(gone)"


def tids(pid):
    """Returns the threads of a process."""
    try:
        return [int(tid) for tid in os.listdir("/proc/%d/task" % pid)]
    except (FileNotFoundError, ProcessLookupError):
        return []


def open_files(pid):
    """Returns the target of each descriptor of a process, by number. Leaves out those that it closes meanwhile."""
    found = {}
    for name in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):
            found[int(name)] = os.readlink("/proc/%d/fd/%s" % (pid, name))
    return found


def reads(pid):
    """Returns how often a process has called read(2)."""
    with open("/proc/%d/io" % pid, encoding="ascii") as io:
        return int(re.search(r"(?m)^syscr: (\d+)", io.read()).group(1))


def sleeps(pid):
    """Returns how often a process has gone to sleep."""
    with open("/proc/%d/status" % pid, encoding="utf-8", errors="replace") as status:
        return int(re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", status.read()).group(1))


def descendants(pid):
    """Returns all processes below this one."""
    found = []
    for tid in tids(pid):
        try:
            with open("/proc/%d/task/%d/children" % (pid, tid), encoding="ascii") as children:
                for child in map(int, children.read().split()):
                    found += [child, *descendants(child)]
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found
