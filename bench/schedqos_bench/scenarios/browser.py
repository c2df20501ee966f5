# SPDX-License-Identifier: GPL-2.0-only
"""
What people feel: a real browser, headless, whose page computes and draws in each frame, next to a kernel build; in one cpu
cgroup with it, and with a border between them. Keys are pressed from outside, and the time to the next frame is taken.
"""

import collections
import json
import os
import random
import shutil
import time
from contextlib import ExitStack
from pathlib import Path

from .. import devtools, histogram, kernel_build, layouts, marionette, progress
from ..process import Failure
from ..programs import let_run
from . import Missing, Round, metric, natural, percentile, positive

NAME, TITLE = "browser", "A browser's frames and keys + kernel build"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox", "firefox-esr")
PAGE = Path(__file__).parents[1] / "page.html"

# Its layout, and how it is called.
PLACES = {"one": ("flat", "one cgroup"), "border": ("apps", "across a border")}
PERIOD_MS = 1000 / 60
LATE = 1.5  # periods from one frame to the next
SETTLE_SECONDS = 1
KEY_SECONDS = 0.15


def add_options(group):
    group.add_argument("--browser", choices=PROGRAMS, help="the browser (the first of these in PATH)")
    group.add_argument("--browser-work", type=positive, default=6, metavar="MS",
                       help="that the page computes in each frame, on an idle machine (%(default)s)")
    group.add_argument("--browser-iterations", type=natural, default=0, metavar="N",
                       help="of that computation; 0: found out before the first round, and kept for all")
    group.add_argument("--browser-places", type=lambda text: text.split(","), default=list(PLACES), metavar="LIST",
                       help="of one (cgroup) and border, which share the time of a round (both)")


def _program(options):
    return next(filter(None, map(shutil.which, [options.browser] if options.browser else PROGRAMS)), None)


def is_firefox(program):
    return Path(program).name.startswith("firefox")


def _browser(options, output, prefix=()):
    program = _program(options)
    return (marionette if is_firefox(program) else devtools).Browser(program, PAGE, output, prefix)


def needs(options):
    missing = kernel_build.needs(options)
    program = _program(options)
    if not program:
        missing.append(Missing(options.browser or "a browser", f"package chromium, or another of {', '.join(PROGRAMS)} in PATH"))
    elif is_firefox(program) and os.geteuid():
        missing.append(Missing("a network of its own for Firefox", "root, or another browser"))
    wrong = [place for place in options.browser_places if place not in PLACES]
    if wrong:
        missing.append(Missing(f"a place {', '.join(wrong)}", f"--browser-places is of {', '.join(PLACES)}"))
    if "border" in options.browser_places and not layouts.can_be_made():
        missing.append(Missing("the cgroup cpu controller", "root, and a mounted hierarchy, or --browser-places one"))
    return missing


def config(_):
    return {**{name: {"qos": "QOS_USER_INTERACTIVE"} for name in ("chromium", "chrome", "firefox", "firefox-esr")},
            "make": {"qos": "QOS_BACKGROUND", "inherit": True},
            **{name: {"qos": "QOS_BACKGROUND"} for name in ("gcc", "cc1", "as", "ld")},
            "schedqos": {"autogroup": "keep"}}


def counted_seconds(options, seconds):
    return max(2, seconds // len(options.browser_places))


def commands(options, _):
    return {"browser": [_program(options) or PROGRAMS[0], f"page.html ({options.browser_iterations or 'auto'} iterations a frame)"],
            "make": kernel_build.command(options)}


def tree(options):
    return kernel_build.tree(options)


def metrics(options):
    found = {}
    for place in options.browser_places:
        title = PLACES.get(place, ("", place))[1]
        found[f"late_{place}"] = metric(f"{title}: late frames", "1/s", headline=True, count=True)
        found[f"late_share_{place}"] = metric(f"{title}: late, of all frames", "%")
        for name in ("p50", "p99", "max"):
            found[f"frame_{name}_{place}"] = percentile(name, f"{place}: frame time", f"{title}: frame time {name}",
                                                        headline=name == "p99")
        for name in ("p50", "p90", "max"):
            found[f"key_{name}_{place}"] = percentile(name, f"{place}: key to frame", f"{title}: key to frame {name}",
                                                      headline=name == "p50")
        found[f"build_objects_{place}"] = metric(f"{title}: objects built", "1/s", "higher", True)
    return found


def _kernel(context):
    return kernel_build.Kernel(context.options, context.work / "kernel")


def prepare(context):
    _kernel(context).prepare()
    if not context.options.browser_iterations:
        with _browser(context.options, context.raw("calibration")) as browser:
            context.options.browser_iterations = int(browser.evaluate(f"calibrate({context.options.browser_work})"))
        progress.log(f"browser: {context.options.browser_iterations} iterations take {context.options.browser_work} ms")


def _show(browser, context, seconds, beside):
    """Lets the page draw for so long, and presses keys meanwhile. Returns what it measured, and when keys were pressed."""
    chance, pressed = random.Random(context.seed), []
    browser.evaluate(f"begin({context.options.browser_iterations})")
    let_run(SETTLE_SECONDS, beside)
    browser.evaluate("frames = []; keys = []; last = 0")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        let_run(KEY_SECONDS * (0.5 + chance.random()), beside)
        pressed.append(browser.press_key())
    frames = json.loads(browser.evaluate("JSON.stringify(frames)"))
    let_run(1, beside)  # for the last key's frame
    return {**json.loads(browser.evaluate("end()")), "frames": frames}, pressed


def _distribution(times_ms):
    counts = collections.Counter(round(value * 10) * 100 for value in times_ms)
    return {"unit": "us", "kind": "histogram", "points": sorted(map(list, counts.items())), "max": 1000 * max(times_ms)}


def figures(found, pressed, seconds):
    """Metrics and distributions of what the page measured, and notes."""
    frames, keys, notes = found["frames"], found["keys"], []
    if len(frames) < 2:
        raise Failure("the browser has drawn no frames")
    waits = [answered - sent for sent, answered in zip(pressed, keys) if answered >= sent]
    late = sum(value > LATE * PERIOD_MS for value in frames)
    if len(keys) < len(pressed):
        notes.append(f"{len(pressed) - len(keys)} of {len(pressed)} keys had no frame by the end")
    parts = {"frame": _distribution(frames), **({"key": _distribution(waits)} if waits else {})}
    values = {"late": late / seconds, "late_share": 100 * late / len(frames)}
    for name, part in parts.items():
        values.update({f"{name}_p{percent}": histogram.percentile(part["points"], percent) for percent in (50, 90, 99)})
        values[f"{name}_max"] = part["max"]
    return values, parts, notes


def _measure(context, place, seconds):
    kernel, log = _kernel(context), context.raw("make")
    with ExitStack() as stack:
        prefix = stack.enter_context(layouts.made(PLACES[place][0], context.running.pids(), context.weights))
        build = stack.enter_context(kernel.build(log, prefix("build")))
        kernel_build.await_compiler(log, build)
        browser = stack.enter_context(_browser(context.options, context.raw("browser"), prefix("frames")))
        began, clock = time.time(), time.monotonic()
        found, pressed = _show(browser, context, seconds, [build])
        objects, elapsed = kernel.objects_since(began), time.monotonic() - clock
    values, parts, notes = figures(found, pressed, seconds)
    return {**values, "build_objects": objects / elapsed}, parts, notes


def run_round(context):
    found, wanted = Round({}, {}, {}, []), metrics(context.options)
    order = random.Random(context.seed).sample(context.options.browser_places, len(context.options.browser_places))
    for place in order:
        def raw(name, place=place):
            return context.raw(f"{place}-{name}")
        values, parts, notes = _measure(context._replace(raw=raw), place,
                                        counted_seconds(context.options, context.seconds))
        found.metrics.update({f"{key}_{place}": value for key, value in values.items() if f"{key}_{place}" in wanted})
        found.distributions.update({f"{place}: {'frame time' if name == 'frame' else 'key to frame'}": part
                                    for name, part in parts.items()})
        found.notes.extend(f"{place}: {note}" for note in notes)
    return found
