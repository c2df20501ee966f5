# SPDX-License-Identifier: GPL-2.0-only
"""
The event path in real time: CPU time of the listener for each fork, exec and thread, events lost, and the time
from execve, and from a thread's rename, to the class. `lab costs` measures the same without noise.

A round does a number of operations, in proportion to its seconds, and not a time's worth of them.
"""

import random
import subprocess

from .. import histogram
from ..process import until
from ..running import Listener
from ..storms import latency, rules, workloads
from ..storms.workloads import STORMS, needs  # noqa: F401
from . import Round, metric, percentile

NAME, TITLE = "events", "Event path: storms of forks, execs and threads"
VARIANTS = "default,bare,schedqos"

FULL_SECONDS = 30
OPS = {"fork": 10_000, "exec": 2_000, "threads": 20_000}
SAMPLES = 200  # of each latency
KINDS = ("exec", "rename")

config = rules.config


def _ops(key, seconds):
    return max(workloads.LEAST_OPS, int(OPS[key] * seconds / FULL_SECONDS))


def commands(_, seconds):
    return {key: workloads.command(kind, _ops(key, seconds)) for key, kind in STORMS.items()}


def metrics(_):
    found = {}
    for key, kind in STORMS.items():
        found[f"{key}_cpu"] = metric(f"listener's CPU time, {kind.label}", "us", headline=True, reference="bare")
        found[f"{key}_rate"] = metric(f"{kind.label} done", "1/s", "higher")
    for kind in KINDS:
        for percent in (50, 90):
            found[f"{kind}_p{percent}"] = percentile(f"p{percent}", kind, f"{kind} to class p{percent}")
    return {**found, "lost": metric("events lost", "", count=True), "never": metric("tasks without a class", "", count=True)}


def prepare(context):
    """Fails early on a machine where no events arrive."""
    with Listener(context.tools) as bare:
        subprocess.run(["true"], check=True)
        until(lambda: bare.counts()["execs"], 5, "an event (needs the initial namespaces, and CONFIG_PROC_EVENTS)")


def _of_storms(running, storms):
    found = {}
    for key, sample in storms.items():
        found[f"{key}_cpu"] = sample["cpu_ns"] / sample["ops"] / 1000 if running.listens else None
        found[f"{key}_rate"] = sample["ops"] / sample["ns"] * 1e9
    found["lost"] = sum(sample["dropped"] for sample in storms.values()) if running.listens else None
    return found


def _of_probe(probe):
    """Metrics, and distributions."""
    if not probe:
        return dict.fromkeys(("exec_p50", "exec_p90", "rename_p50", "rename_p90", "never")), {}
    waits = {kind: latency.distribution(probe[kind]) for kind in KINDS if probe[kind]}
    found = {f"{kind}_p{percent}": histogram.percentile(each["points"], percent)
             for kind, each in waits.items() for percent in (50, 90)}
    return {**found, "never": sum(probe[f"{kind}_timeouts"] for kind in KINDS)}, waits


def run_round(context):
    chance, running = random.Random(context.seed), context.running
    storms = {key: workloads.measure_storm(running, context.tools, STORMS[key], _ops(key, context.seconds))
              for key in chance.sample(list(STORMS), len(STORMS))}
    probe = latency.probe(context.tools, running, max(20, SAMPLES * context.seconds // FULL_SECONDS),
                          chance.randrange(1 << 31)) if running.probed else None
    found, waits = _of_probe(probe)
    return Round({**_of_storms(running, storms), **found}, waits, {**storms, "latencies": probe}, [])
