# SPDX-License-Identifier: GPL-2.0-only
"""
What people see, hear and type: a compositor's frames, sound, and a shell, all beside a kernel build, with the groups
in which systemd puts them and without any.
"""

import json
import random
import subprocess
import time
from contextlib import ExitStack

from .. import kernel_build, layouts, progress
from ..preparing import AUTOGROUP
from ..process import Failure
from ..programs import measure_together
from . import Missing, Round, metric, natural, percentile

NAME, TITLE = "frames", "Frames, sound and a shell + kernel build"

# rt-app was tried for the loops: it sets its threads' policy itself after it has named them, which takes a class off
# again; it measures its work against a busy CPU in advance, so that 4 ms are anything from 3 to 35; and it plays what
# is late later on, where a compositor leaves a frame out.
LOOPS = {  # period and CPU time of each, in us
    "frames": (16667, 4000, "frame"),
    "sound": (5333, 500, "buffer"),
    "shell": (150000, 500, "key"),
}
PHASES = {"wakeup": "wake-up", "done": "done"}
PERCENTILES = ("p50", "p90", "p99", "p99.9", "max")
LEAST_SECONDS = 2


def _layouts(text):
    names = text.split(",")
    wrong = [name for name in names if name not in layouts.NAMES]
    if wrong:
        raise ValueError
    return names


_layouts.__name__ = "list of layouts"  # argparse names it: "invalid list of layouts value"


def add_options(group):
    group.add_argument("--frames-layouts", type=_layouts, default=list(layouts.NAMES), metavar="LIST",
                       help=f"of {', '.join(layouts.NAMES)}, which share the time of a round (all)")
    group.add_argument("--frames-rate", type=natural, default=0, metavar="N",
                       help="iterations of the loops' work in a millisecond; 0: found out before the first round, and kept")


def needs(options):
    missing = kernel_build.needs(options)
    if not (options.build / "bench" / "bench-frames").exists():
        missing.append(Missing("bench-frames", "make bench-tools"))
    if options.frames_layouts != ["flat"] and not layouts.can_be_made():
        missing.append(Missing("the cgroup cpu controller", "root, and a mounted hierarchy, or --frames-layouts flat"))
    return missing


def config(_):
    # As the rules that are shipped name the real ones. Autogroup stays as it is: what turns it off in the middle
    # of a run makes borders milder for a while than they are after any boot with the daemon.
    return {**{f"bench-{name}": {"qos": "QOS_USER_INTERACTIVE"} for name in LOOPS},
            "make": {"qos": "QOS_BACKGROUND", "inherit": True},
            **{name: {"qos": "QOS_BACKGROUND"} for name in ("gcc", "cc1", "as", "ld")},
            "schedqos": {"autogroup": "keep"}}


def cell_seconds(options, seconds):
    return max(LEAST_SECONDS, seconds // len(options.frames_layouts))


counted_seconds = cell_seconds


def commands(options, seconds):
    each = str(cell_seconds(options, seconds))
    # The same work in each round. By CPU time it would depend on the clock of the CPU, and so on what runs beside it.
    found = {name: [f"bench-{name}", *(["-i", str(max(1, options.frames_rate * work // 1000))] if options.frames_rate else []),
                    str(period), str(work), each] for name, (period, work, _) in LOOPS.items()}
    found["shell"].append("pty")
    return {**found, "make": kernel_build.command(options)}


def _metrics_of(layout):
    found = {}
    for name, (_, _, what) in LOOPS.items():
        for phase, title in PHASES.items():
            for each in PERCENTILES:
                found[f"{name}_{phase}_{each}"] = percentile(each, f"{layout}: {what} {title}",
                                                             f"{layout}: {what} {title} {each}",
                                                             headline=each == "p99" and name == "frames")
    found["frames_missed"] = metric(f"{layout}: frames missed", "1/s", headline=True, count=True)
    found["sound_late"] = metric(f"{layout}: sound late by more than a period", "1/s", headline=True, count=True)
    found["build_objects"] = metric(f"{layout}: objects built", "1/s", "higher", True)
    found["build_cpu"] = metric(f"{layout}: CPU time of the build", "s/s", "higher")
    return found


def tree(options):
    return kernel_build.tree(options)


def metrics(options):
    return {f"{key}_{layout}": each for layout in options.frames_layouts for key, each in _metrics_of(layout).items()}


def _kernel(context):
    return kernel_build.Kernel(context.options, context.work / "kernel")


def prepare(context):
    _kernel(context).prepare()
    if not context.options.frames_rate:
        run = subprocess.run([context.tools / "bench-frames", "calibrate"], capture_output=True, text=True, check=True)
        context.options.frames_rate = int(run.stdout)
        progress.log(f"frames: {context.options.frames_rate} iterations take a millisecond")


def parse(output):
    """What bench-frames prints; times in us."""
    try:
        found = json.loads(output)
        samples = [found[phase]["samples"] for phase in PHASES]
    except (ValueError, KeyError):
        raise Failure(f"bench-frames has not printed its result:\n{output[-2000:]}") from None
    if not min(samples):
        raise Failure("bench-frames has not measured anything: give it more seconds")
    return found


def _loops(context, prefix):
    """[(command line, its output)] of those that measure."""
    argv_of = commands(context.options, context.seconds)
    return [([*prefix(name), str(context.tools / argv_of[name][0]), *argv_of[name][1:]], context.raw(name))
            for name in LOOPS]


def _measure(context, layout):
    """What each loop has printed, what the build did in a second, and how often that was begun again."""
    kernel, seconds = _kernel(context), cell_seconds(context.options, context.seconds)
    log = context.raw("make")
    with ExitStack() as stack:
        prefix = stack.enter_context(layouts.made(layout, context.running.pids(), context.weights))
        build = stack.enter_context(kernel.build(log, prefix("build")))
        kernel_build.await_compiler(log, build)
        with build.frozen():
            before, began, clock = build.cpu_seconds(), time.time(), time.monotonic()
        outputs = measure_together(_loops(context, prefix), seconds, beside=[build])
        elapsed = time.monotonic() - clock
        with build.frozen():
            used, objects = build.cpu_seconds() - before, kernel.objects_since(began)
    work = {"build_cpu": used / elapsed, "build_objects": objects / elapsed}
    return dict(zip(LOOPS, map(parse, outputs))), work, build.restarts


def _values(found, work, seconds):
    values = {f"{name}_{phase}_{of}": each[phase].get(of) for name, each in found.items()
              for phase in PHASES for of in PERCENTILES}
    values.update(frames_missed=found["frames"]["left_out"] / seconds,
                  sound_late=found["sound"]["left_out"] / seconds, **work)
    return values


def _add(round_found, layout, found):
    for name, each in found.items():
        for phase, title in PHASES.items():
            round_found.distributions[f"{layout}: {LOOPS[name][2]} {title}"] = {
                "unit": "us", "kind": "histogram", "points": each[phase]["bins"], "max": each[phase]["max"]}
        round_found.printed[f"{name}_{layout}"] = {
            "left_out": each["left_out"], **{phase: {key: value for key, value in each[phase].items() if key != "bins"}
                                             for phase in PHASES}}


def run_round(context):
    found = Round({}, {}, {}, [])
    order = list(context.options.frames_layouts)
    random.Random(context.seed).shuffle(order)
    seconds = cell_seconds(context.options, context.seconds)
    for layout in order:
        def raw(name, layout=layout):
            return context.raw(f"{layout}-{name}")
        loops, work, restarts = _measure(context._replace(raw=raw), layout)
        found.metrics.update({f"{key}_{layout}": value for key, value in _values(loops, work, seconds).items()})
        _add(found, layout, loops)
        if restarts:
            found.notes.append(f"{layout}: the kernel was built and begun again {restarts} times")
    if AUTOGROUP.exists() and AUTOGROUP.read_text(encoding="ascii").strip() != "0":
        found.notes.append("autogroup was on: --prepare has it off from the start, as it is where the daemon runs")
    return found
