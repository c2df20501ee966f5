# SPDX-License-Identifier: GPL-2.0-only
"""Many sleeping tasks, and the machine's limits, raised for as long as a context lasts."""

import contextlib
import resource
from pathlib import Path

from ..process import Program

_KERNEL = Path("/proc/sys/kernel")


@contextlib.contextmanager
def _raised_sysctl(name, least):
    path = _KERNEL / name
    was = path.read_text(encoding="ascii").strip()
    try:
        if int(was) < least:
            path.write_text(str(least), encoding="ascii")
        yield
    finally:
        if path.read_text(encoding="ascii").strip() != was:
            path.write_text(was, encoding="ascii")


@contextlib.contextmanager
def _raised_rlimit(kind):
    """As far as we are allowed to; the kernel does not enforce it for root, though that is not documented."""
    soft, hard = resource.getrlimit(kind)
    try:
        resource.setrlimit(kind, (hard, hard))
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


@contextlib.contextmanager
def raised(tasks):
    """Room for so many tasks beside those of the machine."""
    with _raised_sysctl("threads-max", tasks + 20_000), _raised_sysctl("pid_max", tasks + 50_000), \
            _raised_rlimit(resource.RLIMIT_NPROC):
        yield


def available_bytes():
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


class Crowd(Program):
    """So many processes of so many threads each; self.tasks says how many the kernel has allowed."""

    def __init__(self, tools, processes, threads):
        super().__init__([tools / "bench-crowd", processes, threads], ends_at_eof=True)
        self.tasks = 0

    def __enter__(self):
        try:
            self.tasks = self.read_json(timeout=300)["tasks"]
        except BaseException:
            self.end()
            raise
        return self
