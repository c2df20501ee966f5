# SPDX-License-Identifier: GPL-2.0-only
"""Waits for conditions, and scales the size of storms to the machine."""

import os
import time

# Longest time, in seconds, for a condition to come true. It says nothing about speed, because a loaded machine is slow.
PATIENCE = float(os.environ.get("PATIENCE", "30"))
# Size of a storm of forks: 1 is all of it; less for a machine on which each fork takes milliseconds.
STORM = float(os.environ.get("STORM", "1"))


def storm_of(count):
    """Returns the number of forks or programs for a storm: count on a machine of usual speed, fewer on a slow one."""
    return max(1, round(count * STORM))


def wait_for(condition, what):
    """Waits until the condition is true, and returns what it returned."""
    end = time.monotonic() + PATIENCE
    while True:
        began = time.monotonic()
        result = condition()
        if result:
            return result
        now = time.monotonic()
        if now > end:
            raise AssertionError("never happened: " + (what() if callable(what) else what))
        # The work that we wait for needs the processor, too. If the check itself runs a program, leave half of the time
        # to it.
        time.sleep(max(0.002, now - began))
