# SPDX-License-Identifier: GPL-2.0-only
"""
The lab's scenarios. Each module has NAME, TITLE, VARIANTS (by default), SEEDS (by default), TOOLS (of bench/tools, without
"bench-"), APPLETS of its own (none), and

    fill(archive, variant, options)    adds what the guest needs beyond that
    script(variant, seed, options)     the shell script that the guest runs
    values(results, options)           {metric: value} of the guest's [(label, value)]
    units(options)                     {metric: unit} of all metrics that values() can return
"""

from . import costs

ALL = {module.NAME: module for module in (costs,)}
