# SPDX-License-Identifier: GPL-2.0-only
"""The attributes of all tasks of the machine, before a daemon and after it."""

import os
from typing import NamedTuple

from . import attr

_PF_KTHREAD = 0x00200000
_FAIR = (attr.NORMAL, attr.BATCH, attr.IDLE)


class Task(NamedTuple):
    start: int  # with the tid, identifies the task
    attr: attr.Attr
    io: int = 0  # I/O priority, as attr.get_io returns it


def _task(path, tid):
    """None for what is gone, a kernel thread, or not scheduled fairly."""
    try:
        with open(f"{path}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    found, io = attr.get(tid), attr.get_io(tid)
    if found is None or io is None or int(fields[6]) & _PF_KTHREAD or found.policy not in _FAIR:
        return None
    return Task(int(fields[19]), found, io)


def _threads(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return []


def snapshot():
    """{tid: Task} of every task that a daemon may change."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for tid in _threads(pid):
            task = _task(f"/proc/{pid}/task/{tid}", int(tid))
            if task:
                found[int(tid)] = task
    return found


def changed(before, now):
    """{tid: Task as it was before} of those that are not what they were."""
    return {tid: before[tid] for tid, task in now.items()
            if tid in before and before[tid].start == task.start and before[tid] != task}


def of_classes(found, classes):
    """The tids of those that look like tasks of these classes (Attrs)."""
    return [tid for tid, task in found.items() if any(each.matches(task.attr) for each in classes)]


def put_back(before):
    """
    Gives the tasks the attributes that they had. The kernel shows the base slice for tasks without a slice of their
    own: that is none.
    """
    base = attr.base_slice()
    for tid, task in before.items():
        try:
            attr.put(tid, task.attr._replace(slice_ns=0 if task.attr.slice_ns == base else task.attr.slice_ns))
            attr.put_io(tid, task.io)
        except ProcessLookupError:
            pass
