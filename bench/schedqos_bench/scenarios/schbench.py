# SPDX-License-Identifier: GPL-2.0-only
"""The announcement's second scenario: requests that messages wake workers for, beside a kernel build."""

import os
import re
import shlex
import shutil
import subprocess
import time

from .. import kernel_build
from ..folders import RESULTS
from ..process import Failure
from ..programs import measure
from . import Missing, Round, metric, percentile

NAME, TITLE = "schbench", "schbench + kernel build"

# "Wakeup Latencies percentiles (usec) runtime 30 (s) (45018 total samples)", and the lines under it.
_HEAD = re.compile(r"^(Wakeup Latencies|Request Latencies|RPS) percentiles \(\w+\) runtime (\d+) \(s\) "
                   r"\((\d+) total samples\)$")
_LINE = re.compile(r"^[ \t*]*([0-9.]+)th: *(\d+) +\((\d+) samples\)$")
_RANGE = re.compile(r"^\s*min=(\d+), max=(\d+)$")
_AVERAGE = re.compile(r"^average rps: ([0-9.]+)$")
_KEYS = {"Wakeup Latencies": "wakeup", "Request Latencies": "request", "RPS": "rps"}

# Where `schedqos-bench get-schbench` puts it.
FETCHED = RESULTS / "work" / "schbench"
URL = "https://git.kernel.org/pub/scm/linux/kernel/git/mason/schbench.git"


def program():
    own = FETCHED / "schbench"
    return os.environ.get("SCHBENCH") or (str(own) if own.exists() else "schbench")


def fetch(url, commit=None):
    """Gets schbench's source, or another version of it, and builds it. Returns its commit."""
    def run(*argv):
        done = subprocess.run([str(arg) for arg in argv], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"{argv[0]} {argv[1]}: {(done.stderr or done.stdout).strip()[-1000:]}")
        return done.stdout.strip()
    part = FETCHED.with_name(FETCHED.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    FETCHED.parent.mkdir(parents=True, exist_ok=True)
    run("git", "clone", "--quiet", url, part)
    if commit:
        run("git", "-C", part, "checkout", "--quiet", commit)
    run("make", "-C", part)
    found = run("git", "-C", part, "rev-parse", "HEAD")
    shutil.rmtree(FETCHED, ignore_errors=True)
    part.rename(FETCHED)
    return found


def add_options(group):
    group.add_argument("--schbench-args", default="", metavar="ARGS", help="options of schbench's own, such as '-m 2 -t 8'")
    kernel_build.add_options(group)


def needs(options):
    missing = kernel_build.needs(options)
    if not shutil.which(program()):
        missing.append(Missing("schbench", "no distribution packages it: schedqos-bench get-schbench builds it from its "
                                           "author's repository; or put it into PATH or SCHBENCH="))
    return missing


def config(_):
    rules = {name: {"qos": "QOS_BACKGROUND"} for name in ("make", "gcc", "cc1")}
    return {**rules, "schbench": {"thread_qos": {"schbench-msg": "QOS_USER_INTERACTIVE",
                                                 "schbench-worker": "QOS_USER_INITIATED"}}}


def commands(options, seconds):
    argv = [program(), "-r", str(seconds), *shlex.split(options.schbench_args)]
    return {"schbench": argv, "make": kernel_build.command(options)}


def tree(options):
    return kernel_build.tree(options)


def metrics(_):
    found = {f"{kind}_{name}": percentile(name, kind, f"{kind} latency {name}", headline=name == "p99")
             for kind in ("wakeup", "request") for name in ("p50", "p90", "p99", "p99.9", "max")}
    return {**found, "rps": metric("requests", "1/s", "higher", True),
            "build_objects": metric("objects built", "1/s", "higher", True),
            "build_cpu": metric("CPU time of the build", "s/s", "higher")}


def _kernel(context):
    return kernel_build.Kernel(context.options, context.work / "kernel")


def prepare(context):
    _kernel(context).prepare()


def run_round(context):
    kernel = _kernel(context)
    argv = commands(context.options, context.seconds)["schbench"]
    log = context.raw("make")
    with kernel.build(log) as build:
        kernel_build.await_compiler(log, build)
        with build.frozen():
            before, began, clock = build.cpu_seconds(), time.time(), time.monotonic()
        output = measure(argv, context.raw("schbench"), context.seconds, beside=[build])
        seconds = time.monotonic() - clock
        with build.frozen():
            cpu, objects = build.cpu_seconds() - before, kernel.objects_since(began)
        notes = [f"the kernel was built and begun again {build.restarts} times"] if build.restarts else []
    found = parse(output)
    found["metrics"].update(build_cpu=cpu / seconds, build_objects=objects / seconds)
    return Round(found["metrics"], found["distributions"], found["printed"], notes)


def parse_blocks(output):
    """The blocks as printed; of those printed in between and at the end, the last."""
    blocks, block = {}, None
    for line in output.splitlines():
        head, point = _HEAD.match(line.strip()), _LINE.match(line.rstrip())
        limits, average = _RANGE.match(line.rstrip()), _AVERAGE.match(line.strip())
        if head:
            block = blocks[_KEYS[head[1]]] = {"runtime": int(head[2]), "samples": int(head[3]), "percentiles": []}
        elif average:
            blocks.setdefault("rps", {})["average"] = float(average[1])
        elif block is not None and point:
            block["percentiles"].append([float(point[1]), int(point[2]), int(point[3])])
        elif block is not None and limits:
            block["min"], block["max"] = int(limits[1]), int(limits[2])
    return blocks


def parse(output):
    blocks = parse_blocks(output)
    if blocks.keys() != set(_KEYS.values()) or "average" not in blocks["rps"] or \
            not all(block.get("percentiles") and "max" in block for block in blocks.values()):
        raise Failure(f"schbench has not printed its summary:\n{output[-2000:]}")
    found, distributions = {"rps": blocks["rps"]["average"]}, {}
    for kind in ("wakeup", "request"):
        block = blocks[kind]
        for percent, value, _ in block["percentiles"]:
            found[f"{kind}_p{percent:g}"] = float(value)
        found[f"{kind}_max"] = float(block["max"])
        distributions[kind] = {"unit": "us", "kind": "percentiles", "min": block["min"], "max": block["max"],
                               "samples": block["samples"],
                               "points": [[percent, value] for percent, value, _ in block["percentiles"]]}
    return {"metrics": found, "distributions": distributions, "printed": blocks}
