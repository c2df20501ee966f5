# SPDX-License-Identifier: GPL-2.0-only
"""
The event path: what listening costs during storms of one kind of operation and a build, what is lost, what comes out
wrong, and how long a task waits for its class. A bare listener takes its turn in each round: it is what all pay.

What is measured is operations and not seconds: those below in a round of 30 s, others in proportion.
"""

import itertools
import random
import subprocess

from .. import histogram, progress
from ..process import Failure, until
from ..report.goals import FEWER
from ..running import Listener
from ..storms import latency, rules, workloads
from ..storms.workloads import STORMS, Make, needs  # noqa: F401
from . import Round, metric

NAME, TITLE = "events", "Event path: storms, and a build"
VARIANTS = "default,bare,tagger,schedqos,schedqos+15000"

FULL_SECONDS = 30
OPS = {"fork": 10_000, "exec": 2_000, "exec-norule": 2_000, "threads": 20_000}
SAMPLES = 40  # of each latency

# The latency measured when the program was tagged before its main began.
FIRST_LOOK_NS = 10_000

LABELS = {**{kind.key: kind.label for kind in STORMS.values()}, "make": "exec of make -j4", "idle": "nothing"}
KINDS = ("exec", "rename")

config = rules.config


def add_options(group):
    group.add_argument("--events-no-make", action="store_true", help="leave the build out")


def _ops(key, seconds):
    return max(workloads.KEEP_EVERY, int(OPS[key] * seconds / FULL_SECONDS))


def _workloads(options):
    return [*STORMS] if options.events_no_make else [*STORMS, "make"]


def commands(options, seconds):
    found = {key: workloads.command(kind, _ops(key, seconds)) for key, kind in STORMS.items()}
    return found if options.events_no_make else {**found, "make": list(Make.COMMAND)}


def _latency(what, condition):
    """The title of a distribution, and the key of its metrics."""
    return f"{what} latency during {LABELS[condition]}", f"{what}_{condition}"


def metrics(options):
    found = {}
    for key in _workloads(options):
        found[f"{key}_cpu"] = metric(f"listener's CPU, {LABELS[key]}", "us", headline=True, reference="bare")
        found[f"{key}_rate"] = metric("builds" if key == "make" else f"{LABELS[key]} done", "1/s", "higher")
    for what, condition, name in itertools.product(KINDS, latency.CONDITIONS, ("p50", "p99")):
        title, key = _latency(what, condition)
        found[f"{key}_{name}"] = metric(f"{title}, {name}", "us", reference="tagger")
    for condition in latency.CONDITIONS:
        during = f"during {LABELS[condition]}"
        found[f"execve_{condition}"] = metric(f"execve itself {during}, p50", "us")
        found[f"before_main_{condition}"] = metric(f"tagged before main {during}", "%", "higher", reference="tagger")
    return {**found, "lost": metric("events lost", ""), "wrong": metric("tasks wrongly tagged", ""),
            "never": metric("tasks never tagged", ""), "foreign": metric("events of others", "", None)}


def goals(_):
    found = [{"metric": "fork_cpu", "to": "bare", "most": 1.3}, {"metric": "exec_cpu", "to": "bare", "most": 3.0},
             {"metric": "fork_rate", "to": "default", "least": 0.95}]
    found += [{"metric": key, "to": FEWER, "most": 1.05} for key in ("exec_cpu", "exec-norule_cpu")]
    found += [{"distribution": _latency(what, "fork")[0], "percent": percent, "to": "tagger", "most": most}
              for what in KINDS for percent, most in ((50, 1.2), (99, 1.5))]
    return found + [{"metric": key, "most": 0} for key in ("wrong", "lost")]


def _make(context):
    return Make(context.work / NAME)


def prepare(context):
    """Fails early on a machine where no events arrive, or nothing can be built."""
    with Listener(context.tools, "bare", {}) as bare:
        subprocess.run(["true"], check=True)
        until(lambda: bare.counts()["execs"], 5, "an event (needs the initial namespaces, and CONFIG_PROC_EVENTS)")
    try:
        if not context.options.events_no_make:
            _make(context).prepare()
    except Failure as failure:
        progress.log(f"events: {failure}")
        context.options.events_no_make = True


def _storms(context, chance):
    keys = _workloads(context.options)
    found = {}
    for key in chance.sample(keys, len(keys)):
        if key == "make":
            found[key] = workloads.measure_make(context.running, _make(context))
        else:
            found[key] = workloads.measure_storm(context.running, context.tools, STORMS[key],
                                                 _ops(key, context.seconds))
    return found


def _probes(context, chance):
    if not context.running.probed:
        return {}
    samples = max(2, SAMPLES * context.seconds // FULL_SECONDS)
    return {condition: latency.measure(context.running, context.tools, condition, samples, chance.randrange(1 << 31))
            for condition in chance.sample(latency.CONDITIONS, len(latency.CONDITIONS))}


def _of_storms(running, storms):
    found = {}
    for key, sample in storms.items():
        found[f"{key}_cpu"] = sample["cpu_ns"] / sample["ops"] / 1000 if running.listens else None
        found[f"{key}_rate"] = (1 if key == "make" else sample["ops"]) / sample["ns"] * 1e9
    for key in ("lost", "wrong", "foreign"):
        found[key] = None
    if running.listens:
        found.update({key: sum(sample[name] for sample in storms.values())
                      for key, name in (("lost", "dropped"), ("foreign", "foreign"))})
    if running.tags:
        found["wrong"] = sum(len(sample["wrong"]) for sample in storms.values())
    return found


def _of_probes(probes, options):
    """Metrics, and distributions."""
    found, distributions = dict.fromkeys(metrics(options)), {}
    for condition in filter(probes.get, latency.CONDITIONS):
        probe = probes[condition]
        for what in KINDS:
            title, key = _latency(what, condition)
            distributions[title] = latency.distribution(probe[what])
            for percent in (50, 99) if probe[what] else ():
                found[f"{key}_p{percent}"] = histogram.percentile(distributions[title]["points"], percent)
        # The time of execve itself, with any listener: the earliest that the program can check.
        mains, tagged = probe["exec_main"], probe["exec"]
        if tagged:
            found[f"execve_{condition}"] = histogram.percentile(latency.distribution(mains)["points"], 50)
            early = sum(when - main < FIRST_LOOK_NS for when, main in zip(tagged, mains))
            found[f"before_main_{condition}"] = 100 * early / len(tagged)
    if probes:
        found["never"] = sum(probe[f"{what}_timeouts"] for probe in probes.values() for what in KINDS)
    return found, distributions


def _notes(storms):
    return [f"{key}: {task['name']} ({task['tid']}) should be {task['want']} and is {task['actual']}"
            for key, sample in storms.items() for task in sample["wrong"][:5]]


def run_round(context):
    chance = random.Random(context.seed)
    storms = _storms(context, chance)
    probes = _probes(context, chance)
    found, distributions = _of_probes(probes, context.options)
    return Round({**found, **_of_storms(context.running, storms)}, distributions, {**storms, "latencies": probes},
                 _notes(storms))
