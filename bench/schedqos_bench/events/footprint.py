# SPDX-License-Identifier: GPL-2.0-only
"""What the daemon takes when nothing happens: memory, and wake-ups."""

import time
from pathlib import Path

from . import account
from ..process import Program


class Crowd(Program):
    """Sleeping tasks: so many processes of so many threads each."""

    def __init__(self, build, processes, threads):
        super().__init__([Path(build) / "bench" / "bench-crowd", processes, threads],
                         ends_at_eof=True)
        self.tasks = 0

    def __enter__(self):
        try:
            self.tasks = self.read_json(timeout=300)["tasks"]
        except BaseException:
            self.end()
            raise
        return self


def memory(daemon, build, processes=100, threads=100):
    """Resident set and table with many tasks, which come while the daemon runs."""
    daemon.settle()
    before = daemon.counts()
    with Crowd(build, processes, threads) as crowd:
        daemon.settle()
        after = daemon.counts()
    grown = max(1, after["tasks"] - before["tasks"])
    return {
        "rules": after["rules"],
        "crowd": crowd.tasks,
        "tasks": after["tasks"],
        "resident_bytes": after["resident_bytes"],
        "resident_bytes_before": before["resident_bytes"],
        "table_bytes": after["table_bytes"],
        "table_bytes_per_task": after["table_bytes"] / max(1, after["tasks"]),
        "resident_bytes_per_new_task":
            (after["resident_bytes"] - before["resident_bytes"]) / grown,
    }


def idle(daemon, bare, seconds):
    """
    Wake-ups of the daemon while nothing of ours happens. Others on the machine may make events; the bare listener,
    which hears the same ones, says how many wake-ups those explain.
    """
    with bare:
        heard = [listener.counts() for listener in (daemon, bare)]
        time.sleep(0.3)
        daemon.settle()
        before = [(account.switches(listener.pid), account.cpu_ns(listener.pid))
                  for listener in (daemon, bare)]
        time.sleep(seconds)
        after = [(account.switches(listener.pid), account.cpu_ns(listener.pid))
                 for listener in (daemon, bare)]
        # Asking the daemon starts a program: two events, which are not those of the idle time.
        bare_now = bare.counts()
    wakeups = [now[0] - then[0] for now, then in zip(after, before)]
    events = sum(bare_now[name] - heard[1][name] for name in ("forks", "execs", "renames"))
    return {"seconds": seconds, "wakeups": wakeups[0], "wakeups_bare": wakeups[1],
            "events": events, "cpu_ns": after[0][1] - before[0][1]}
