# SPDX-License-Identifier: GPL-2.0-only
"""The shape of the announcement's second comparison: threads that wait for messages and compute, beside a build."""

import json

NAME, TITLE = "requests", "Requests in the shape of schbench, beside a build"
VARIANTS, SEEDS, SECONDS = "none,schedqos", 5, 10
IGNORES = ("weights",)
RUNS_DAEMON = False
JUDGED = True
TOOLS, APPLETS = ("attr", "requests"), ("hexdump",)
_PERCENTILES = ("p50", "p99", "max")
# As many workers and jobs for each CPU as schbench and make have in the announcement.
_WORKERS, _JOBS = 2, 2
# Seconds for which the build runs alone; and those of bench-requests that it does not count.
_ALONE, _WARM_UP = 0.5, 0.5


def fill(archive, _, options):
    archive.add_program("/lab/build/make", options.build / "bench" / "bench-build")
    archive.add_program("/lab/schbench", options.build / "bench" / "bench-requests")
    archive.add_text("/etc/schedqos.json", json.dumps({"schbench": {"qos": "QOS_USER_INTERACTIVE"}}) + "\n")


def script(_, seeds, options):
    lines = ["for name in gcc cc1 as; do ln /lab/build/make /lab/build/$name; done"]
    for seed in seeds:
        lines += [f"/lab/build/make /dev/shm/build {_JOBS * options.cpus} {seed} &", "load=$!", f"pause {_ALONE}",
                  f"say \"result {seed}/requests $($changed schbench {_WORKERS * options.cpus} "
                  f"{options.seconds or SECONDS} {seed})\"",
                  f"say \"result {seed}/build $(hexdump -n 4 -e '1/4 \"%u\"' /dev/shm/build)\"",
                  "end_load", "rm /dev/shm/build", f"say step {seed}"]
    return "\n".join([*lines, ""])


def values(results, options):
    found, seconds = dict(results), options.seconds or SECONDS
    of = found["requests"]
    return {**{f"{phase}_{each}": of[phase][each] / 1000 for phase in ("wakeup", "request") for each in _PERCENTILES},
            "requests": of["request"]["samples"] / seconds, "build": found["build"] / 1e6 / (_ALONE + _WARM_UP + seconds)}


def units(_):
    return {**{f"{phase}_{each}": "ms" for phase in ("wakeup", "request") for each in _PERCENTILES}, "requests": "1/s",
            "build": "s/s"}
