# SPDX-License-Identifier: GPL-2.0-only
"""What the daemon costs at rest: memory, after many tasks have started while it runs, and wake-ups."""

from time import sleep

from ..running import Listener
from ..storms import rules
from ..storms.crowd import Crowd
from ..storms.workloads import needs  # noqa: F401
from . import Round, metric, positive

NAME, TITLE = "rest", "At rest: memory, and wake-ups"
VARIANTS = "schedqos+15000"
MIB = 1 << 20

config = rules.config


def add_options(group):
    group.add_argument("--rest-processes", type=positive, default=100, metavar="N", help="that come (%(default)s)")
    group.add_argument("--rest-threads", type=positive, default=100, metavar="N", help="of each (%(default)s)")


def _idle_seconds(seconds):
    """The rounds watch it together: a few seconds each."""
    return max(1, seconds // 6)


def commands(options, seconds):
    return {"crowd": ["bench-crowd", str(options.rest_processes), str(options.rest_threads)],
            "idle": ["sleep", str(_idle_seconds(seconds))]}


def metrics(_):
    titles = (("resident", "resident set with the crowd", "MiB"), ("resident_before", "resident set before it", "MiB"),
              ("table_per_task", "table, of each task", "bytes"),
              ("resident_per_task", "resident set, of each task that came", "bytes"), ("tasks", "tasks", ""),
              ("wakeups", "wake-ups when idle", ""), ("wakeups_bare", "wake-ups of a bare listener meanwhile", ""),
              ("wakeups_beyond", "wake-ups beyond those of a bare listener", ""), ("foreign", "events of others", ""),
              ("idle_cpu", "CPU time when idle", "us"))
    return {key: metric(title, unit, None if key in ("tasks", "foreign") else "lower",
                        key in ("resident", "table_per_task", "wakeups_beyond")) for key, title, unit in titles}


def goals(_):
    return [{"metric": "resident", "most": 8}, {"metric": "table_per_task", "most": 100},
            {"metric": "wakeups_beyond", "most": 0}]


def _memory(context):
    """Only the daemon reports what it keeps."""
    running, options = context.running, context.options
    running.wait_until_idle()
    before = running.counts()
    if "table_bytes" not in before:
        return {}
    with Crowd(context.tools, options.rest_processes, options.rest_threads):
        running.wait_until_idle()
        after = running.counts()
    grown = after["resident_bytes"] - before["resident_bytes"]
    return {"resident": after["resident_bytes"] / MIB, "resident_before": before["resident_bytes"] / MIB,
            "tasks": after["tasks"], "table_per_task": after["table_bytes"] / max(1, after["tasks"]),
            "resident_per_task": grown / max(1, after["tasks"] - before["tasks"])}


def _idle(context, seconds):
    """
    While nothing of ours happens. Others on the machine may make events; a bare listener, which receives the same ones,
    shows how many wake-ups those account for.
    """
    running = context.running
    with Listener(context.tools, "bare", {}) as bare:
        running.counts()
        received = bare.counts()
        sleep(0.3)
        running.wait_until_idle()
        before = [each.usage() for each in (running, bare)]
        sleep(seconds)
        used, used_bare = (each.usage().since(then) for each, then in zip((running, bare), before))
        # Asking the daemon starts a program: two events, which are not those of the idle time.
        now = bare.counts()
    return {"wakeups": used.switches, "wakeups_bare": used_bare.switches, "idle_cpu": used.cpu_ns / 1000,
            "wakeups_beyond": max(0, used.switches - used_bare.switches),
            "foreign": sum(now[name] - received[name] for name in ("forks", "execs", "renames"))}


def run_round(context):
    found = dict.fromkeys(metrics(context.options))
    if context.running.listens:
        found.update(_memory(context), **_idle(context, _idle_seconds(context.seconds)))
    return Round(found, {}, {}, [])
