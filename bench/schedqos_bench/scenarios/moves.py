# SPDX-License-Identifier: GPL-2.0-only
"""
Processes that are moved to a cgroup whose group demotes them, and back: how long each waits for its class, on an idle
machine and during a storm of forks; and many that are moved at once.
"""

import contextlib
import os
import random
from pathlib import Path

from .. import histogram
from ..process import Program, until
from ..storms import latency, rules
from ..storms.workloads import STORMS, Storm
from ..storms.workloads import needs as needs_tools
from . import Missing, Round, metric, positive

NAME, TITLE = "moves", "Moves between cgroups"
VARIANTS = "schedqos"

HIGH, LOW = "bench-high", "bench-low"
CLASSES = {HIGH: "QOS_USER_INTERACTIVE", LOW: "QOS_BACKGROUND"}
SAMPLES, FULL_SECONDS = 400, 30
PAUSE_US = {"idle": 10_000, "fork": 5_000}
LABELS = {"idle": "nothing", "fork": STORMS["fork"].label}
ALL_MS = 50


def config(_):
    return {**rules.config(None), "bench-moves": {"qos": CLASSES[HIGH]},
            "schedqos": {"autogroup": "keep", "groups": {LOW: {"max": CLASSES[LOW]}}}}


def add_options(group):
    group.add_argument("--moves-processes", type=positive, default=1000, metavar="N",
                       help="that are moved at once (%(default)s)")


def _hierarchy():
    """Where the unified one is mounted, or None."""
    paths = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
    return next((path for path in paths if os.access(path / "cgroup.procs", os.W_OK)), None)


def needs(options):
    return needs_tools(options) + ([] if _hierarchy() else [Missing("cgroup v2", "root, and a mounted hierarchy")])


def _samples(seconds):
    return max(4, SAMPLES * seconds // FULL_SECONDS)


def commands(options, seconds):
    return {"moves": ["bench-moves", str(options.moves_processes), str(_samples(seconds))]}


def metrics(_):
    found = {}
    for key, label in LABELS.items():
        for name in ("p50", "p99"):
            found[f"single_{key}_{name}"] = metric(f"move latency during {label}, {name}", "us", headline=name == "p50")
        for way, title in (("down", "demoted"), ("up", "promoted again")):
            found[f"all_{way}_{key}"] = metric(f"all {title} during {label}, from the first move", "ms")
            found[f"all_{way}_{key}_after"] = metric(f"all {title} during {label}, from the last move", "ms",
                                                     headline=True)
    return {**found, "never": metric("processes that never got their class", "")}


def goals(_):
    found = [{"metric": f"all_{way}_{key}_after", "most": ALL_MS} for key in LABELS for way in ("down", "up")]
    return [*found, {"metric": "never", "most": 0}]


@contextlib.contextmanager
def _cgroups():
    top = _hierarchy()
    with contextlib.ExitStack() as stack:
        for name in CLASSES:
            folder = top / name
            folder.mkdir(exist_ok=True)
            stack.callback(_remove, folder)
        yield {name: top / name for name in CLASSES}


def _remove(folder):
    """When the last of its processes is gone."""
    def is_removed():
        with contextlib.suppress(OSError):
            folder.rmdir()
        return not folder.exists()

    until(is_removed, 30, f"the end of {folder}")


def _measure(context, folders, seed, pause_us):
    args = [context.tools / "bench-moves", context.options.moves_processes, _samples(context.seconds), pause_us, seed]
    for name, qos in CLASSES.items():
        args += [folders[name], context.running.classes[qos]]
    with Program(args) as program:
        return program.read_json(timeout=300)


def _measure_all(context):
    chance, found = random.Random(context.seed), {}
    with _cgroups() as folders:
        for key in chance.sample(list(LABELS), len(LABELS)):
            with contextlib.ExitStack() as stack:
                if key != "idle":
                    storm = stack.enter_context(Storm(context.tools, STORMS[key], context.running))
                    storm.go()
                found[key] = _measure(context, folders, chance.randrange(1 << 31), PAUSE_US[key])
    return found


def run_round(context):
    found = Round(dict.fromkeys(metrics(context.options)), {}, {}, [])
    if not context.running.probed:
        return found
    measured = _measure_all(context)
    for key, result in measured.items():
        title = f"move latency during {LABELS[key]}"
        found.distributions[title] = latency.distribution(result["single"])
        for percent in (50, 99):
            found.metrics[f"single_{key}_p{percent}"] = histogram.percentile(found.distributions[title]["points"], percent)
        for way in ("down", "up"):
            found.metrics[f"all_{way}_{key}"] = result[f"all_{way}"] / 1e6
            found.metrics[f"all_{way}_{key}_after"] = result[f"all_{way}_after"] / 1e6
    found.metrics["never"] = sum(result["timeouts"] for result in measured.values())
    return found
