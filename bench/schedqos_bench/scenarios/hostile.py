# SPDX-License-Identifier: GPL-2.0-only
"""
What an unprivileged user takes from others by renames, forks, execs and threads, with the daemon against without:
two workers compute beside storms by user nobody. Then, with the daemon, how long others wait for their class: from
before execve, so with the program's own start.
"""

import contextlib
import random
import shutil
import time
from typing import NamedTuple

from .. import histogram
from ..storms import latency, rules, workloads
from ..storms.workloads import Kind, Storm
from . import Missing, Round, metric

NAME, TITLE = "hostile", "Storms by a user without privilege"

NOBODY = "65534"
WORK = Kind("work", "work", "bench-work")

# With the daemon others may need this much longer for their work than without.
GOAL = 1.1

# Execs and renames of others that are waited for, and the longest pause between two.
PROBES, PAUSE_US = 20, 20_000
KINDS = ("exec", "rename")


class Attack(NamedTuple):
    key: str
    title: str
    kind: Kind
    processes: int = 1  # of two workers each


def _attacks():
    yield Attack("nothing", "nothing", None, 0)
    for kind in (Kind("renames", "", "bench-renames"), Kind("forks", "", "bench-forks"),
                 Kind("execs", "", "bench-execs", "bench-tiny"), Kind("threads", "", "bench-threads")):
        yield Attack(kind.key, kind.key, kind)
        yield Attack(f"{kind.key}_32", f"{kind.key} by 32 processes", kind, 16)


ATTACKS = tuple(_attacks())

config = rules.config


def needs(options):
    return workloads.needs(options) + ([] if shutil.which("setpriv") else [Missing("setpriv", "package util-linux")])


def commands(_, __):
    kinds = {attack.kind.key: attack.kind for attack in ATTACKS if attack.kind}
    return {key: workloads.command(kind) for key, kind in {WORK.key: WORK, **kinds}.items()}


def _waits(what, attack):
    return f"{what} latency beside {attack.title}"


def metrics(_):
    found = {}
    for key, title in ((attack.key, attack.title) for attack in ATTACKS):
        found[f"work_{key}"] = metric(f"a unit of others' work beside {title}", "us", headline=True)
        found[f"cpu_{key}"] = metric(f"daemon's CPU beside {title}", "%")
        found[f"made_{key}"] = metric(f"operations of {title}", "1/s", None)
        for what in KINDS:
            found[f"{what}_p50_{key}"] = metric(f"{what} latency beside {title}, p50", "us")
        found[f"never_{key}"] = metric(f"tasks never tagged beside {title}", "")
    return found


def goals(_):
    return [{"metric": f"work_{attack.key}", "to": "default", "most": GOAL} for attack in ATTACKS]


def _measure(context, attack, seconds, seed):
    """What one attack does, by the first part of its metrics' names, and what probes have found."""
    running, tools, probe = context.running, context.tools, None
    with contextlib.ExitStack() as stack:
        work = stack.enter_context(Storm(tools, WORK, running))
        storms = [stack.enter_context(Storm(tools, attack.kind, running, user=NOBODY))
                  for _ in range(attack.processes)]
        for storm in storms:
            storm.go()
        before, began = running.usage(), time.monotonic()
        work.go()
        time.sleep(seconds)
        result = work.stop()
        used = running.usage().since(before).cpu_ns / 1e9 / (time.monotonic() - began)
        if running.probed:
            probe = latency.probe(tools, running, PROBES, PAUSE_US, seed)
        elapsed = time.monotonic() - began
        made = sum(each["ops"] for each in _stop(storms))
    return {"work": result["ns"] / result["ops"] / 1000, "cpu": 100 * used if running.listens else None,
            "made": made / elapsed}, probe


def _stop(storms):
    """All at once: none has the machine to itself at the end."""
    for storm in storms:
        storm.program.send("stop")
    return [storm.result() for storm in storms]


def _of_probe(probe, attack):
    """Metrics as above, and distributions."""
    if not probe:
        return dict.fromkeys([*(f"{what}_p50" for what in KINDS), "never"]), {}
    waits = {what: latency.distribution(probe[what]) for what in KINDS if probe[what]}
    found = {f"{what}_p50": histogram.percentile(each["points"], 50) for what, each in waits.items()}
    found["never"] = sum(probe[f"{what}_timeouts"] for what in KINDS)
    return found, {_waits(what, attack): each for what, each in waits.items()}


def run_round(context):
    """All attacks of a round together take as long as it is to take."""
    chance, seconds = random.Random(context.seed), context.seconds / len(ATTACKS)
    measured = {attack: _measure(context, attack, seconds, chance.randrange(1 << 31))
                for attack in chance.sample(ATTACKS, len(ATTACKS))}
    found = Round({}, {}, {}, [])
    for attack in ATTACKS:
        values, probe = measured[attack]
        waited, waits = _of_probe(probe, attack)
        found.metrics.update({f"{name}_{attack.key}": value for name, value in {**values, **waited}.items()})
        found.distributions.update(waits)
    return found
