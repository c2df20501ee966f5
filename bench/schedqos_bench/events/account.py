# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel has on record about a listener: its CPU time, its wake-ups, its queue and its losses."""

import os
import time
from typing import NamedTuple

_NETLINK_CONNECTOR = 11
_PORT_PID_BITS = (1 << 22) - 1  # libnl puts the pid into the low bits of its port


class Usage(NamedTuple):
    cpu_ns: int
    switches: int
    dropped: int

    def since(self, before):
        return Usage(*(now - then for now, then in zip(self, before)))


def _read(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def _threads(pid):
    return os.listdir(f"/proc/{pid}/task")


def cpu_ns(pid):
    """The CPU time of all its threads."""
    return sum(int(_read(f"/proc/{pid}/task/{tid}/schedstat").split()[0]) for tid in _threads(pid))


def switches(pid):
    """How often its threads have gone to sleep or been preempted: at least as often as woken."""
    total = 0
    for tid in _threads(pid):
        for line in _read(f"/proc/{pid}/task/{tid}/status").splitlines():
            if "ctxt_switches:" in line:
                total += int(line.split()[1])
    return total


def queue(pid):
    """Bytes waiting in its proc connector sockets, and events dropped so far."""
    waiting = dropped = 0
    for line in _read("/proc/net/netlink").splitlines()[1:]:
        fields = line.split()
        if int(fields[1]) == _NETLINK_CONNECTOR and int(fields[2]) & _PORT_PID_BITS == pid:
            waiting += int(fields[4])
            dropped += int(fields[8])
    return waiting, dropped


def is_asleep(pid):
    return all(_read(f"/proc/{pid}/task/{tid}/stat").rpartition(")")[2].split()[0] == "S"
               for tid in _threads(pid))


def settle(pid, calm=6, interval=0.005, timeout=20):
    """
    Waits until it has caught up: nothing in its queue and asleep, several times in a row, since it may put work off
    for a moment. Returns whether it did.
    """
    end = time.monotonic() + timeout
    in_a_row = 0
    while in_a_row < calm:
        if time.monotonic() > end:
            return False
        in_a_row = in_a_row + 1 if is_asleep(pid) and queue(pid)[0] == 0 else 0
        time.sleep(interval)
    return True


def usage(pid):
    return Usage(cpu_ns(pid), switches(pid), queue(pid)[1])
