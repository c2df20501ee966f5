# SPDX-License-Identifier: GPL-2.0-only
"""
How the kernel divides one CPU between two tasks in generated cgroup hierarchies, and what "schedqos explain --against" says
about them. No daemon runs: explain asks the kernel only.
"""

import random

from ...process import Failure

NAME, TITLE = "shares", "Shares of a CPU beside what schedqos explain --against predicts"
VARIANTS, SEEDS, SECONDS = "schedqos", 5, 3
IGNORES = ("weights", "slice_ns", "mapping")
RUNS_DAEMON = True
JUDGED = False
TOOLS, APPLETS = ("attr",), ("hexdump", "taskset", "tr")

# The groups of two tasks; "" is the root, in which no nice value is divided by a group.
KINDS = {"one group": ("a", "a"), "two groups": ("a", "b"), "task and group": ("", "a"), "deep": ("a/b/c", "a/d"),
         "deep and task": ("a/b/c", "")}
_WEIGHTS = (20, 50, 100, 244, 500, 1000)
_NICE = 6


def fill(archive, variant, options):
    if not variant.executable:
        raise Failure("shares compares with what schedqos predicts: each variant needs schedqos")
    archive.add_program("/lab/build/make", options.build / "bench" / "bench-build")


def _around(path):
    """Returns the groups of a path: a, a/b, a/b/c."""
    parts = path.split("/") if path else []
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def script(_, seeds, options):
    lines = [". /lab/shares", f"seconds={options.seconds or SECONDS}"]
    for seed in seeds:
        draw = random.Random(seed)
        for kind, (one, other) in KINDS.items():
            groups = sorted({one, other} - {""})
            lines.append(f"make_groups {' '.join(groups)}")
            lines += [f"weigh {group} {draw.choice(_WEIGHTS)}" for group in sorted({*_around(one), *_around(other)})]
            label = f"{seed}/{kind.replace(' ', '-')}"
            lines.append(f'shares {label} "{one}" {draw.randint(-_NICE, _NICE)} "{other}" {draw.randint(-_NICE, _NICE)}')
            lines.append("remove_groups")
        lines.append(f"say step {seed}")
    return "\n".join([*lines, ""])


def values(results, _):
    """What explain says and what was measured differ by so many percentage points; None where it says nothing."""
    found = {}
    for label, value in results:
        if not any(value["work"]):
            raise Failure(f"{label}: neither task has done any work")
        measured = 100 * value["work"][0] / sum(value["work"])
        predicted = value["predicted"][0] if value["predicted"] else None
        kind = label.replace("-", " ")
        found[f"{kind}: share"] = measured
        found[f"{kind}: difference"] = None if predicted is None else abs(predicted - measured)
    return found


def units(_):
    return {f"{kind}: {what}": unit for kind in KINDS for what, unit in (("share", "%"), ("difference", "points"))}
