# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel accounts for: a process group, a listener to its events, and the machine."""

import os
import time
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")

_NETLINK_CONNECTOR = 11
_PORT_PID_BITS = (1 << 22) - 1  # libnl puts the pid into the low bits of its port


def _stat(pid):
    """The fields of /proc/PID/stat from the state on, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def group(pgid):
    """{pid: CPU seconds, including children it has waited for} of each process of the group."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        fields = _stat(name)
        if fields and int(fields[2]) == pgid:
            found[int(name)] = sum(int(field) for field in fields[11:15]) / TICKS
    return found


def group_cpu_seconds(pgid, attempts=5):
    """
    The CPU time of a process group. A child that is waited for between being read and its parent being read would
    count twice: read until no process has come or gone meanwhile, which is certain for a stopped group.
    """
    now = group(pgid)
    for _ in range(attempts):
        before, now = now, group(pgid)
        if before.keys() == now.keys():
            break
    return sum(now.values())


def wait(process):
    """Reaps a subprocess.Popen that has ended. Returns the CPU seconds of it and its children, and its status."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, process.returncode


class Machine(NamedTuple):
    """/proc/stat, in seconds over all CPUs since boot."""

    busy: float
    steal: float
    total: float

    def since(self, before):
        return Machine(*(now - then for now, then in zip(self, before)))


def parse_machine(text):
    """Of the text of /proc/stat. Guest time is in user time already."""
    user, nice, system, idle, iowait, irq, softirq, steal = (
        int(field) / TICKS for field in text.split("\n", 1)[0].split()[1:9])
    busy = user + nice + system + irq + softirq
    return Machine(busy, steal, busy + idle + iowait + steal)


def machine():
    with open("/proc/stat", encoding="ascii") as file:
        return parse_machine(file.read())


class Usage(NamedTuple):
    """A listener's CPU time, wake-ups and losses."""

    cpu_ns: int
    switches: int
    dropped: int = 0

    def since(self, before):
        return Usage(*(now - then for now, then in zip(self, before)))


def _read(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def _tasks(pid):
    """The folders of its threads, and of those of the processes that it has started: they read for it."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        folder = f"/proc/{pid}/task/{tid}"
        yield folder
        for child in _read(f"{folder}/children").split():
            yield from _tasks(child)


def processes(pid):
    """The pids of it and of those."""
    return {int(folder.split("/")[2]) for folder in _tasks(pid)}


def cpu_ns(pid):
    """The CPU time of all its tasks."""
    return sum(int(_read(f"{folder}/schedstat").split()[0]) for folder in _tasks(pid))


def switches(pid):
    """How often its tasks have gone to sleep or been preempted, which is at least as often as they were woken."""
    total = 0
    for folder in _tasks(pid):
        for line in _read(f"{folder}/status").splitlines():
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
    """Or has ended: the daemon waits for a helper that it has left when it needs the next one."""
    return all(_read(f"{folder}/stat").rpartition(")")[2].split()[0] in "SZ" for folder in _tasks(pid))


def wait_until_idle(pid, checks=6, interval=0.005, timeout=120):
    """
    Waits until it has caught up: asleep with an empty queue, several times in a row, since it may defer work for a
    moment. Returns whether it did.
    """
    end = time.monotonic() + timeout
    in_a_row = 0
    while in_a_row < checks:
        if time.monotonic() > end:
            return False
        in_a_row = in_a_row + 1 if is_asleep(pid) and queue(pid)[0] == 0 else 0
        time.sleep(interval)
    return True


def usage(pid):
    return Usage(cpu_ns(pid), switches(pid), queue(pid)[1])
