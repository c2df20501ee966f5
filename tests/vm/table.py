# SPDX-License-Identifier: GPL-2.0-only
"""What each kernel is known to have: the README's table. One that turns out otherwise is a finding, not a skipped test."""

import os
import re

README = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "README.md")

# As guest/features.py calls them. That classes have their policy and nice value the live tests hold everywhere.
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
    """By feature, of a kernel of this name: 6.12, or 7, the newest of these. Empty: it is not in the table."""
    with open(README, encoding="utf-8") as file:
        block = re.search(r"<!-- kernels: .*? -->\n(.*?)<!-- end of kernels -->", file.read(), re.DOTALL).group(1)
    head, _, *rows = [line.strip("| ").split(" | ") for line in block.splitlines()]
    return {ROWS[row[0]]: cell == "yes" for row in rows if row[0] in ROWS
            for title, cell in zip(head, row) if name in (title, title.split(".")[0])}
