# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel counts for the whole machine while a round is measured: schedstat, pressure, switches and migrations."""

import contextlib
import ctypes
import functools
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
from pathlib import Path

from .process import Program, until

TITLES = {"switches": "context switches, 1/s", "migrations": "migrations, 1/s", "wakeups": "wake-ups, 1/s",
          "remote": "wake-ups on another CPU, 1/s", "ran": "time run, s/s", "waited": "time waited for a CPU, s/s",
          "cpu_some": "CPU pressure, some, %", "io_some": "I/O pressure, some, %", "memory_some": "memory pressure, some, %"}

_PERCENT = ("cpu_some", "io_some", "memory_some")
_SOFTWARE, _MIGRATIONS = 1, 4
_ATTR = struct.Struct("=IIQQQQQ16x")  # the first version of struct perf_event_attr, 64 bytes
_PERF_EVENT_OPEN = {"x86_64": 298}.get(platform.machine(), 241)
_libc = ctypes.CDLL(None, use_errno=True)


def _read(path):
    try:
        return Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def parse_schedstat(text):
    """Seconds run and waited, and wake-ups, of all CPUs; empty where the kernel does not count."""
    cpus = [list(map(int, line.split()[1:])) for line in text.splitlines() if re.match(r"cpu\d+ ", line)]
    if not cpus or not any(each[6] for each in cpus):
        return {}
    return {"wakeups": sum(each[4] for each in cpus), "remote": sum(each[4] - each[5] for each in cpus),
            "ran": sum(each[6] for each in cpus) / 1e9, "waited": sum(each[7] for each in cpus) / 1e9}


def _snapshot():
    found = parse_schedstat(_read("/proc/schedstat"))
    switches = re.search(r"^ctxt (\d+)$", _read("/proc/stat"), re.MULTILINE)
    if switches:
        found["switches"] = int(switches[1])
    for name in ("cpu", "io", "memory"):
        total = re.match(r"some .*total=(\d+)", _read(f"/proc/pressure/{name}"))
        if total:
            found[f"{name}_some"] = int(total[1]) / 1e6
    return found


def _open_migrations():
    """A descriptor for each CPU; none where perf is not allowed."""
    attr = _ATTR.pack(_SOFTWARE, _ATTR.size, _MIGRATIONS, 0, 0, 0, 0)
    found = [_libc.syscall(_PERF_EVENT_OPEN, attr, -1, cpu, -1, 0) for cpu in sorted(os.sched_getaffinity(0))]
    return [descriptor for descriptor in found if descriptor >= 0]


@functools.lru_cache(maxsize=None)
def _perf_has_stats():
    """`perf sched stats` came with Linux 7.0's perf."""
    if not shutil.which("perf"):
        return False
    run = subprocess.run(["perf", "sched", "-h"], capture_output=True, text=True, check=False)
    return bool(re.search(r"\bstats\b", run.stdout + run.stderr))


@contextlib.contextmanager
def _perf_stats(raw):
    """`perf sched stats`, where there is one: its report is kept with the raw output."""
    if not _perf_has_stats():
        yield
        return
    data = raw("perf-sched-stats").with_suffix(".data")
    with Program(["perf", "sched", "stats", "record", "-o", data], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                 stderr=subprocess.DEVNULL) as perf:
        until(lambda: data.exists() or perf.process.poll() is not None, 60, "perf sched stats record begins")
        yield
        perf.process.send_signal(signal.SIGINT)
        perf.process.wait(30)
    with open(raw("perf-sched-stats"), "w", encoding="utf-8") as file:
        subprocess.run(["perf", "sched", "stats", "report", "-i", str(data)], stdout=file, stderr=file, check=False)
    data.unlink(missing_ok=True)


class Counters:
    """A context; afterwards per_second() says what was counted in it."""

    def __init__(self, raw):
        self.stack, self.raw = contextlib.ExitStack(), raw
        self.descriptors, self.before, self.found = [], {}, {}

    def __enter__(self):
        self.descriptors = _open_migrations()
        for descriptor in self.descriptors:
            self.stack.callback(os.close, descriptor)
        self.stack.enter_context(_perf_stats(self.raw))
        self.before = _snapshot()
        return self

    def __exit__(self, *_):
        with self.stack:
            now = _snapshot()
            self.found = {name: now[name] - value for name, value in self.before.items() if name in now}
            if self.descriptors:
                self.found["migrations"] = sum(struct.unpack("=Q", os.read(descriptor, 8))[0]
                                               for descriptor in self.descriptors)

    def per_second(self, seconds):
        return {name: self.found[name] / seconds * (100 if name in _PERCENT else 1) for name in TITLES if name in self.found}
