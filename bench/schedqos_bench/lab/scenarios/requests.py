# SPDX-License-Identifier: GPL-2.0-only
"""The shape of the announcement's second comparison: threads that wait for messages and compute, beside a build."""

import json

NAME, TITLE = "requests", "Requests in the shape of schbench, beside a build"
VARIANTS, SEEDS, SECONDS = "none,schedqos", 5, 10
IGNORES = ("weights",)
RUNS_DAEMON = False
JUDGED = True
TOOLS, APPLETS = ("attr", "requests"), ()
_PERCENTILES = ("p50", "p99", "max")
# As many workers and jobs for each CPU as schbench and make have in the announcement.
_WORKERS, _JOBS = 2, 2


def fill(archive, _, options):
    archive.add_program("/lab/build/make", options.build / "bench" / "bench-build")
    archive.add_program("/lab/schbench", options.build / "bench" / "bench-requests")
    archive.add_text("/etc/schedqos.json", json.dumps({"schbench": {"qos": "QOS_USER_INTERACTIVE"}}) + "\n")


def script(_, seeds, options):
    lines = ["for name in gcc cc1 as; do ln /lab/build/make /lab/build/$name; done"]
    for seed in seeds:
        lines += [f"/lab/build/make /dev/shm/build {_JOBS * options.cpus} {seed} &", "load=$!", "pause 0.5",
                  f"say \"result {seed}/requests $($changed schbench {_WORKERS * options.cpus} "
                  f"{options.seconds or SECONDS} {seed})\"",
                  "end_load", f"say step {seed}"]
    return "\n".join([*lines, ""])


def values(results, options):
    found = dict(results)["requests"]
    return {**{f"{phase}_{each}": found[phase][each] / 1000 for phase in ("wakeup", "request") for each in _PERCENTILES},
            "requests": found["request"]["samples"] / (options.seconds or SECONDS)}


def units(_):
    return {**{f"{phase}_{each}": "ms" for phase in ("wakeup", "request") for each in _PERCENTILES}, "requests": "1/s"}
