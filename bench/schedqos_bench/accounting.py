# SPDX-License-Identifier: GPL-2.0-only
"""CPU time: of a process group, and of the machine."""

import os
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """The fields of /proc/PID/stat from the state on, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def group(pgid):
    """{pid: CPU seconds, with those of its children that it has waited for} of each process of the group."""
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
    count twice: read until nobody has come or gone meanwhile, which a stopped group makes certain.
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
