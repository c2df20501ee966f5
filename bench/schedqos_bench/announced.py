# SPDX-License-Identifier: GPL-2.0-only
"""The announcement's own figures of its two comparisons (14 April 2026), and in what ours differ from them."""

_SCHBENCH = ("wakeup p50, us", "wakeup p90", "wakeup p99", "wakeup p99.9", "wakeup max", "request p50", "request p90",
             "request p99", "request p99.9", "request max", "requests, 1/s")

FIGURES = {
    "cyclictest": {
        "default": {"min, us": 4, "average": 62, "max": 4426},
        "schedqos": {"min, us": 3, "average": 53, "max": 1246},
    },
    "schbench": {
        "default": dict(zip(_SCHBENCH, (1618, 3580, 4952, 6760, 11092, 12464, 22496, 36032, 75904, 144284, 1501.40))),
        "schedqos": dict(zip(_SCHBENCH, (10, 6488, 13168, 19232, 32126, 6568, 13744, 37312, 65472, 153046, 2253.93))),
        "+ NO_RUN_TO_PARITY": dict(zip(_SCHBENCH, (9, 1342, 1686, 2428, 5710, 8104, 17696, 23648, 35904, 90821, 2311.27))),
    },
}

_BOTH = ("Its kernel is tip/sched/core at 8d16e3c6f844. Its machine, number of CPUs and configuration are not told.",
         "It shows one run of each. Ours are rounds, after one to warm up.")
DIFFERENCES = {
    "cyclictest": ("hackbench is started again when it ends. Whether its own ran for all of the 30 s is not told.",
                   "The number of hackbench's groups grows with that of CPUs here: --hackbench-groups 2 is its own.", *_BOTH),
    "schbench": ("Its tree, its configuration and its -j are not told. Ours are in the commands above.",
                 "A build that ends goes on in a second folder here.",
                 "Its options of schbench but for the 30 s are not told. Ours are schbench's defaults.",
                 "Its third column has patches beside NO_RUN_TO_PARITY that are in no kernel measured here. The variant "
                 "schedqos:announcement+features:NO_RUN_TO_PARITY is the part that can be run again.", *_BOTH),
}
