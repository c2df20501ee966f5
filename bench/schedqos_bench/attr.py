# SPDX-License-Identifier: GPL-2.0-only
"""Scheduling attributes: the built-in classes, and sched_getattr and sched_setattr."""

import ctypes
import os
import platform
import struct
from typing import NamedTuple

NORMAL, FIFO, BATCH, IDLE = 0, 1, 3, 5
MS = 1_000_000

_LAYOUT = struct.Struct("=IIQiIQQQ")
_NUMBERS = (314, 315) if platform.machine() == "x86_64" else (274, 275)
_IO_NUMBERS = (251, 252) if platform.machine() == "x86_64" else (30, 31)
_IOPRIO_WHO_PROCESS = 1
_libc = ctypes.CDLL(None, use_errno=True)


class Attr(NamedTuple):
    policy: int
    nice: int
    slice_ns: int  # 0: any
    priority: int = 0  # for FIFO; get() does not return it

    def __str__(self):
        return f"{self.policy}:{self.nice}:{self.slice_ns}"

    def matches(self, other):
        return other is not None and self[:2] == other[:2] and self.slice_ns in (0, other.slice_ns)


PRISTINE = Attr(NORMAL, 0, 0)

CLASSES = {
    "QOS_USER_INTERACTIVE": Attr(NORMAL, -4, 8 * MS),
    "QOS_USER_INITIATED": Attr(NORMAL, -2, 12 * MS),
    "QOS_UTILITY": Attr(BATCH, 2, 16 * MS),
    "QOS_BACKGROUND": Attr(BATCH, 4, 20 * MS),
    "QOS_DEFAULT": Attr(BATCH, 2, 16 * MS),
}


def get(tid):
    """The task's attributes, or None when it is gone."""
    buffer = ctypes.create_string_buffer(_LAYOUT.size)
    if _libc.syscall(_NUMBERS[1], tid, buffer, _LAYOUT.size, 0) < 0:
        return None
    _, policy, _, nice, _, runtime, _, _ = _LAYOUT.unpack(buffer.raw)
    return Attr(policy, nice, runtime)


def put(tid, attr):
    """Sets a task's attributes; tid 0 is the caller."""
    packed = _LAYOUT.pack(_LAYOUT.size, attr.policy, 0, attr.nice, attr.priority, attr.slice_ns, 0, 0)
    if _libc.syscall(_NUMBERS[0], tid, packed, 0) < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"sched_setattr: {os.strerror(error)}")


def get_io(tid):
    """The task's I/O priority as the kernel writes it, 0 if it has none of its own; None when it is gone."""
    found = _libc.syscall(_IO_NUMBERS[1], _IOPRIO_WHO_PROCESS, tid)
    return None if found < 0 else found


def put_io(tid, priority):
    """Sets a task's I/O priority, as get_io returns it."""
    if _libc.syscall(_IO_NUMBERS[0], _IOPRIO_WHO_PROCESS, tid, priority) < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"ioprio_set: {os.strerror(error)}")


def has_slices():
    """Whether the kernel keeps a custom slice (Linux 6.12). Leaves the caller pristine."""
    put(0, Attr(NORMAL, 0, 8 * MS))
    kept = get(0).slice_ns == 8 * MS
    put(0, PRISTINE)
    return kept


def base_slice():
    """What the kernel shows for a task without a slice of its own. Leaves the caller pristine."""
    put(0, PRISTINE)
    return get(0).slice_ns


def without_slices():
    """From now on slices are not compared, as the kernel keeps none."""
    for name, attr in CLASSES.items():
        CLASSES[name] = attr._replace(slice_ns=0)
