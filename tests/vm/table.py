# SPDX-License-Identifier: GPL-2.0-only
"""
Reads from the README's table which features each kernel must have. A kernel without one of them fails, rather than
skipping a test.
"""

import os
import re

README = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "README.md")

# Names as in guest/features.py. The live tests check policy and nice value of classes on every kernel.
ROWS = {
    "Events of every fork, exec and rename": "proc_connector",
    "Slice of a class": "custom_slice",
    "Clamp of a class": "util_clamp",
    "Autogroup, turned off while the daemon runs": "autogroup",
    "Sched profiles: `features` in debugfs": "debugfs",
    "Sched profiles: `base_slice_ns`": "base_slice",
    "Sched profiles: `scaling_governor`, of acpi-cpufreq": "cpufreq",
    "`HRTICK` on by default": "hrtick",
    "sched_ext schedulers can be loaded": "sched_ext",
}


def expected(name):
    """
    Returns the features of a kernel by name, such as 6.12, or 7 for the newest of its series; empty if it is not in the
    table.
    """
    with open(README, encoding="utf-8") as file:
        block = re.search(r"<!-- kernels: .*? -->\n(.*?)<!-- end of kernels -->", file.read(), re.DOTALL).group(1)
    head, _, *rows = [line.strip("| ").split(" | ") for line in block.splitlines()]
    return {ROWS[row[0]]: cell == "yes" for row in rows if row[0] in ROWS
            for title, cell in zip(head, row) if name in (title, title.split(".")[0])}
