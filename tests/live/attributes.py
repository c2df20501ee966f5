# SPDX-License-Identifier: GPL-2.0-only
"""Reads, sets and compares scheduling attributes: of one thread, of a class, and of every thread of the machine."""

import contextlib
import ctypes
import errno
import functools
import os
import platform
import struct
import threading
import time
from typing import NamedTuple

from tasks import comm, descendants, start_time, state, tids

LIBC = ctypes.CDLL(None, use_errno=True)

NORMAL, FIFO, RR, BATCH, IDLE, DEADLINE, EXT = 0, 1, 2, 3, 5, 6, 7
FLAG_RESET_ON_FORK, FLAG_UTIL_MAX = 0x01, 0x40
MS = 1000000

# The classes of the announcement's mapping.
UI, INITIATED, UTILITY, BACKGROUND, DEFAULT = (
    "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND", "QOS_DEFAULT")

# The base slice of the sched profile qos.
QOS_BASE_SLICE = 16 * MS

_SYS_SETATTR, _SYS_GETATTR = (314, 315) if platform.machine() == "x86_64" else (274, 275)
_ATTR = struct.Struct("=IIQiIQQQII")


class Attr(NamedTuple):
    """The scheduling attributes of a task, as sched_getattr returns them."""

    policy: int = NORMAL
    nice: int = 0
    slice: int = 0  # sched_runtime: of a fair task without a custom slice, the base slice
    priority: int = 0
    flags: int = 0
    deadline: int = 0
    period: int = 0
    util_min: int = 0
    util_max: int = 0


def get_attr(tid=0):
    """Returns the attributes of a thread; None if it is gone."""
    buf = ctypes.create_string_buffer(_ATTR.size)
    if LIBC.syscall(_SYS_GETATTR, tid, buf, _ATTR.size, 0) < 0:
        if ctypes.get_errno() == errno.ESRCH:
            return None
        raise OSError(ctypes.get_errno(), "sched_getattr of %d" % tid)
    _, policy, flags, nice, priority, runtime, deadline, period, low, high = _ATTR.unpack(buf.raw)
    return Attr(policy, nice, runtime, priority, flags, deadline, period, low, high)


def set_attr(tid=0, policy=NORMAL, nice=0, slice=0, priority=0, flags=0, deadline=0, period=0,
             util_max=0):
    """Calls sched_setattr for any thread."""
    buf = _ATTR.pack(_ATTR.size, policy, flags, nice, priority, slice, deadline, period, 0, util_max)
    if LIBC.syscall(_SYS_SETATTR, tid, buf, 0) < 0:
        raise OSError(ctypes.get_errno(), "sched_setattr of %d" % tid)


def set_all(tid=0, policy=NORMAL, nice=0, slice=0):
    """Sets these attributes, and all others to their defaults, including the clamps, which set_attr does not change."""
    if has_clamp():
        set_attr(tid, policy, nice, slice, flags=FLAG_UTIL_MAX, util_max=0xffffffff)
    else:
        set_attr(tid, policy, nice, slice)


def make_us_pristine():
    """Gives our own threads default attributes, however the tests were started, and whatever a daemon set."""
    for tid in tids(os.getpid()):
        with contextlib.suppress(ProcessLookupError):
            set_all(tid)


def _in_thread(function):
    """Calls the function in a thread of its own with default attributes. Returns the result."""
    result = []
    thread = threading.Thread(target=lambda: result.append(function()))
    thread.start()
    thread.join()
    return result[0]


@functools.lru_cache(maxsize=None)
def has_slice():
    """Returns whether the kernel has custom slices (Linux 6.12 or later)."""
    def probe():
        set_attr(slice=7123456)
        return get_attr().slice == 7123456

    return _in_thread(probe)


@functools.lru_cache(maxsize=None)
def has_clamp():
    """Returns whether the kernel has util clamps (CONFIG_UCLAMP_TASK)."""
    def probe():
        try:
            set_attr(flags=FLAG_UTIL_MAX, util_max=512)
        except OSError:
            return False
        return True

    return _in_thread(probe)


@functools.lru_cache(maxsize=None)
def pristine():
    """Returns what sched_getattr reports for a task with default attributes."""
    def probe():
        set_all()
        return get_attr()

    return _in_thread(probe)


def fair(policy=NORMAL, nice=0, slice=0, util_max=1024, flags=0):
    """Returns what sched_getattr reports on this kernel for a fair task with these attributes."""
    return pristine()._replace(
        policy=policy, nice=nice, flags=flags,
        slice=slice if slice and has_slice() else pristine().slice,
        util_max=util_max if has_clamp() else pristine().util_max)


def classes():
    """
    Returns, by class of the announcement's mapping, the attributes that sched_getattr reports; "pristine": without one.
    """
    return {
        UI: fair(NORMAL, -4, 8 * MS, 1024),
        INITIATED: fair(NORMAL, -2, 12 * MS, 768),
        UTILITY: fair(BATCH, 2, 16 * MS, 512),
        BACKGROUND: fair(BATCH, 4, 20 * MS, 256),
        DEFAULT: fair(BATCH, 2, 16 * MS, 512),
        "pristine": pristine(),
    }


def snapshot():
    """Returns the attributes of every thread of the machine, by (tid, start)."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for tid in tids(int(pid)):
            start, attr = start_time(tid), get_attr(tid)
            if start is not None and attr is not None and start == start_time(tid):
                found[tid, start] = attr
    return found


def baseline():
    """
    Returns a snapshot to compare later ones with. A thread that others have started within the last ten seconds has
    None: it may be about to choose its attributes, as nice(1) does.
    """
    found = snapshot()
    ours = {tid for pid in (os.getpid(), *descendants(os.getpid())) for tid in tids(pid)}
    recent = (time.clock_gettime(time.CLOCK_BOOTTIME) - 10) * os.sysconf("SC_CLK_TCK")
    return {(tid, start): attr if tid in ours or start < recent else None for (tid, start), attr in found.items()}


def base_slices():
    """
    Returns the slices that a task without a custom slice may show: any base slice that was in force when it last ran.
    The kernel makes its own base slice longer with more CPUs: twice that of one CPU with two, three times with four,
    four times with eight or more. Its first threads may show that of one CPU, because no other was online yet.
    """
    return {pristine().slice, QOS_BASE_SLICE, pristine().slice // min(4, (os.cpu_count() or 1).bit_length())}


def without_base(attr):
    """A thread without a custom slice shows the base slice that was in force when it last woke up: drops that."""
    return attr._replace(slice=0) if attr.slice in base_slices() else attr


def lives(tid):
    """Returns whether the thread lives. A zombie still has attributes, but they do not matter."""
    return state(tid) not in (None, "Z", "X")


def differences(before, after, but=()):
    """Describes the threads that lived through both snapshots and do not carry the same attributes."""
    return ["%d %r had %s, has %s" % (tid, comm(tid), attr, after[tid, start])
            for (tid, start), attr in before.items()
            if attr and tid not in but and lives(tid)
            and without_base(after.get((tid, start), attr)) != without_base(attr)]


def already_tagged(before):
    """Counts threads that carry a class although no daemon runs, which means that another daemon was killed."""
    ours = set(classes().values()) - {pristine()}
    return sum(attr in ours for attr in before.values())


def leftovers(before, after, but=()):
    """Describes the threads born since `before` that carry attributes which only a daemon like ours sets."""
    def is_ours(attr):
        if attr in there:
            return False
        return attr in ours or (attr.policy in (NORMAL, BATCH, IDLE) and attr.slice not in base_slices())

    ours = set(classes().values()) - {pristine()}
    there = set(before.values())
    old = set(before)
    return ["%d %r carries %s" % (tid, comm(tid), attr) for (tid, start), attr in after.items()
            if (tid, start) not in old and tid not in but and is_ours(attr) and lives(tid)]
