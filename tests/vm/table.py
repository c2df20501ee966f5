#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What works where, as the README's table: table.py prints it, of each kernel's last full run of `make check-vm`, and
table.py --update writes it into the README.
"""

import glob
import json
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = os.path.join(TOP, ".cache/vm/results")
README = os.path.join(TOP, "README.md")
BLOCK = re.compile(r"(<!-- kernels: .*? -->\n)(.*?)(<!-- end of kernels -->)", re.DOTALL)

# What a series is known to have. One that turns out otherwise is a finding, not a skipped test.
EVERYWHERE = {"proc_connector": True, "autogroup": True, "debugfs": True, "cpufreq": True}
KNOWN = {
    "6.1": dict(EVERYWHERE, custom_slice=False, util_clamp=False, base_slice=False, hrtick=False, sched_ext=False),
    "6.12": dict(EVERYWHERE, custom_slice=True, util_clamp=False, base_slice=True, hrtick=False, sched_ext=False),
    "7": dict(EVERYWHERE, custom_slice=True, util_clamp=True, base_slice=True, hrtick=True, sched_ext=True),
}
ROWS = (
    ("Events of every fork, exec and rename", "proc_connector"),
    ("Policy and nice of a class", "classes"),
    ("Slice of a class", "custom_slice"),
    ("Clamp of a class", "util_clamp"),
    ("Autogroup, turned off while the daemon runs", "autogroup"),
    ("Sched profiles: `features` in debugfs", "debugfs"),
    ("Sched profiles: `base_slice_ns`", "base_slice"),
    ("Sched profiles: `scaling_governor`, of acpi-cpufreq", "cpufreq"),
    ("`HRTICK` on by default", "hrtick"),
    ("sched_ext schedulers can be loaded", "sched_ext"),
)


def expected(name):
    """What a kernel of this name, or with this version number, is known to have."""
    return KNOWN.get(name) or KNOWN.get(name.split(".")[0], {})


def column(release, features):
    """Debian's 6.12.107 counts as 6.12."""
    return [re.match(r"\d+\.\d+", release).group(), "---", *("yes" if features.get(key) else "no" for _, key in ROWS)]


def markdown(columns):
    columns = [["Debian's Linux", "---", *(text for text, _ in ROWS)], *columns]
    return "".join("| %s |\n" % " | ".join(line) for line in zip(*columns))


def of_last_runs():
    """The table; empty if there was no run."""
    columns = []
    for path in glob.glob(RESULTS + "/*.json"):
        with open(path, encoding="utf-8") as file:
            answer = json.load(file)
        classes = [result for result in answer["results"] if result["name"] == "classes" and not result["failed"]]
        features = dict(answer["features"], classes=bool(classes))
        columns.append(column(features["release"], features))
    columns.sort(key=lambda column: [int(number) for number in re.findall(r"\d+", column[0])])
    return markdown(columns) if columns else ""


def of_readme():
    with open(README, encoding="utf-8") as file:
        return BLOCK.search(file.read()).group(2)


def of_known():
    """What the README's table should look like, as far as that is known without a run: for the same kernels."""
    titles = of_readme().splitlines()[0].strip("| ").split(" | ")[1:]
    return markdown([column(title, dict(expected(title), classes=True)) for title in titles])


def outdated():
    return of_last_runs() not in ("", of_readme())


def update():
    with open(README, encoding="utf-8") as file:
        text = file.read()
    with open(README, "w", encoding="utf-8") as file:
        file.write(BLOCK.sub(lambda match: match.group(1) + of_last_runs() + match.group(3), text))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        sys.stdout.write(of_last_runs())
