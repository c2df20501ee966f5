# SPDX-License-Identifier: GPL-2.0-only
"""What a task carries: its scheduling attributes, those of the classes, and those of all before and after."""

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

NORMAL, FIFO, RR, BATCH, IDLE, DEADLINE = 0, 1, 2, 3, 5, 6
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
    """A task's scheduling attributes, as sched_getattr has them."""

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
    """The attributes of a thread; None when it is gone."""
    buf = ctypes.create_string_buffer(_ATTR.size)
    if LIBC.syscall(_SYS_GETATTR, tid, buf, _ATTR.size, 0) < 0:
        if ctypes.get_errno() == errno.ESRCH:
            return None
        raise OSError(ctypes.get_errno(), "sched_getattr of %d" % tid)
    _, policy, flags, nice, priority, runtime, deadline, period, low, high = _ATTR.unpack(buf.raw)
    return Attr(policy, nice, runtime, priority, flags, deadline, period, low, high)


def set_attr(tid=0, policy=NORMAL, nice=0, slice=0, priority=0, flags=0, deadline=0, period=0,
             util_max=0):
    """What sched_setattr does, for any thread."""
    buf = _ATTR.pack(_ATTR.size, policy, flags, nice, priority, slice, deadline, period, 0, util_max)
    if LIBC.syscall(_SYS_SETATTR, tid, buf, 0) < 0:
        raise OSError(ctypes.get_errno(), "sched_setattr of %d" % tid)


def set_all(tid=0, policy=NORMAL, nice=0, slice=0):
    """Sets these, and all others to their defaults, clamps included, which set_attr leaves as they are."""
    if has_clamp():
        set_attr(tid, policy, nice, slice, flags=FLAG_UTIL_MAX, util_max=0xffffffff)
    else:
        set_attr(tid, policy, nice, slice)


def make_us_pristine():
    """However the tests were started, and whatever a daemon made of them."""
    for tid in tids(os.getpid()):
        with contextlib.suppress(ProcessLookupError):
            set_all(tid)


def _in_thread(function):
    """The function's result, from a thread of its own with default attributes."""
    result = []
    thread = threading.Thread(target=lambda: result.append(function()))
    thread.start()
    thread.join()
    return result[0]


@functools.lru_cache(maxsize=None)
def has_slice():
    """Custom slices came with Linux 6.12."""
    def probe():
        set_attr(slice=7123456)
        return get_attr().slice == 7123456

    return _in_thread(probe)


@functools.lru_cache(maxsize=None)
def has_clamp():
    """Util clamps need CONFIG_UCLAMP_TASK."""
    def probe():
        try:
            set_attr(flags=FLAG_UTIL_MAX, util_max=512)
        except OSError:
            return False
        return True

    return _in_thread(probe)


@functools.lru_cache(maxsize=None)
def pristine():
    """A task with default attributes."""
    def probe():
        set_all()
        return get_attr()

    return _in_thread(probe)


def fair(policy=NORMAL, nice=0, slice=0, util_max=1024, flags=0):
    """What a fair task with these attributes shows on this kernel."""
    return pristine()._replace(
        policy=policy, nice=nice, flags=flags,
        slice=slice if slice and has_slice() else pristine().slice,
        util_max=util_max if has_clamp() else pristine().util_max)


def classes():
    """What each class of the announcement's mapping shows, and what a task shows that has none."""
    return {
        UI: fair(NORMAL, -4, 8 * MS, 1024),
        INITIATED: fair(NORMAL, -2, 12 * MS, 768),
        UTILITY: fair(BATCH, 2, 16 * MS, 512),
        BACKGROUND: fair(BATCH, 4, 20 * MS, 256),
        DEFAULT: fair(BATCH, 2, 16 * MS, 512),
        "pristine": pristine(),
    }


def snapshot():
    """The attributes of every thread of the machine, by (tid, start)."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for tid in tids(int(pid)):
            start, attr = start_time(tid), get_attr(tid)
            if start is not None and attr is not None and start == start_time(tid):
                found[tid, start] = attr
    return found


def baseline():
    """
    A snapshot to compare later ones with. What others have started within the last ten seconds is None: that may be about
    to choose its attributes, as nice(1) does.
    """
    found = snapshot()
    ours = {tid for pid in (os.getpid(), *descendants(os.getpid())) for tid in tids(pid)}
    recent = (time.clock_gettime(time.CLOCK_BOOTTIME) - 10) * os.sysconf("SC_CLK_TCK")
    return {(tid, start): attr if tid in ours or start < recent else None for (tid, start), attr in found.items()}


def base_slices():
    """
    What a task without a custom slice may show: the one that was in force when it ran last. The kernel's own is twice
    as long with two CPUs as with one, which is all there is when it makes its first threads, thrice with four, and four
    times with eight or more.
    """
    return {pristine().slice, QOS_BASE_SLICE, pristine().slice // min(4, (os.cpu_count() or 1).bit_length())}


def lives(tid):
    """A zombie still has attributes; they do not matter."""
    return state(tid) not in (None, "Z", "X")


def differences(before, after, but=()):
    """The threads that lived through and do not carry what they did, in words."""
    def plain(attr):
        return attr._replace(slice=0) if attr.slice in base_slices() else attr

    return ["%d %r had %s, has %s" % (tid, comm(tid), attr, after[tid, start])
            for (tid, start), attr in before.items()
            if attr and tid not in but and plain(after.get((tid, start), attr)) != plain(attr) and lives(tid)]


def already_tagged(before):
    """How many threads carry a class though no daemon runs: another daemon was killed."""
    ours = set(classes().values()) - {pristine()}
    return sum(attr in ours for attr in before.values())


def leftovers(before, after, but=()):
    """Threads born since `before` that carry what only a scheduler's helper gives them, in words."""
    def is_ours(attr):
        if attr in there:
            return False
        return attr in ours or (attr.policy in (NORMAL, BATCH, IDLE) and attr.slice not in base_slices())

    ours = set(classes().values()) - {pristine()}
    there = set(before.values())
    old = set(before)
    return ["%d %r carries %s" % (tid, comm(tid), attr) for (tid, start), attr in after.items()
            if (tid, start) not in old and tid not in but and is_ours(attr) and lives(tid)]
