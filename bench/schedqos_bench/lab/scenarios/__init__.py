# SPDX-License-Identifier: GPL-2.0-only
"""
The lab's scenarios. Each module has NAME, TITLE, VARIANTS (by default), SEEDS (by default), TOOLS (of bench/tools, without
"bench-"), APPLETS (of busybox, beside the common ones), RUNS_DAEMON (whether its script starts the daemon itself), JUDGED
(whether a p99 with the daemon is to be compared with that without), and

    add_options(parser)                its options, if it has any
    own_words(options)                 the words of a command line that repeats its options, if it has any that count
    fill(archive, variant, options)    adds what the guest needs beyond that
    script(variant, seeds, options)    the shell script that the guest runs; it labels its results SEED/LABEL
    values(results, options)           {metric: value} of the [(LABEL, value)] of a seed
    units(options)                     {metric: unit} of all metrics that values() can return
"""

from . import costs, frames, requests, shares, wakeups

ALL = {module.NAME: module for module in (frames, wakeups, requests, costs, shares)}
