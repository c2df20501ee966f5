# SPDX-License-Identifier: GPL-2.0-only
"""The announcement's first comparison: a thread of cyclictest, which wakes up each millisecond, beside hackbench."""

import json
import shutil

from ...process import Failure
from ...scenarios import cyclictest

NAME, TITLE = "wakeups", "cyclictest beside hackbench"
VARIANTS, SEEDS, SECONDS = "none,schedqos", 5, 10
IGNORES = ("weights",)
RUNS_DAEMON = False
JUDGED = True
TOOLS, APPLETS = ("attr",), ()
_METRICS = ("avg", "p50", "p99", "p99.9", "max")
_HISTOGRAM_US = 50000


def fill(archive, _, __):
    for name in ("cyclictest", "hackbench"):
        program = shutil.which(name)
        if not program:
            raise Failure(f"wakeups needs {name}, of the package rt-tests")
        archive.add_program(f"/lab/{name}", program)
    archive.add_text("/etc/schedqos.json", json.dumps(cyclictest.config(None)) + "\n")


def script(_, seeds, options):
    """A seed changes the interval, so that wakeups fall into other phases of the kernel's tick."""
    lines = []
    for seed in seeds:
        command = (f"cyclictest -q -t 1 -i {1000 + 7 * (seed - 1)} -D {options.seconds or SECONDS} -h {_HISTOGRAM_US} "
                   "--policy=other")
        lines += ["hackbench -T -p -l 1000000000 -g 1 > /dev/null 2>&1 &", "load=$!", "pause 1",
                  f"$changed {command} > /tmp/latencies", f"tell_file {seed}/cyclictest /tmp/latencies",
                  "end_load", f"say step {seed}"]
    return "\n".join([*lines, ""])


def values(results, _):
    found = cyclictest.parse(dict(results)["cyclictest"])["metrics"]
    return {f"wakeup_{name}": found[name] for name in _METRICS}


def units(_):
    return {f"wakeup_{name}": "us" for name in _METRICS}
