# SPDX-License-Identifier: GPL-2.0-only
"""How long a test waits for a condition, and how much of a storm it makes."""

import os
import time

# How long a condition may take to come true. It is no measure of speed: a loaded machine is slow.
PATIENCE = float(os.environ.get("PATIENCE", "30"))
# How much of a storm of forks there is to be: less than all of it where each takes milliseconds.
STORM = float(os.environ.get("STORM", "1"))


def storm_of(count):
    """So many forks or programs, on a machine of usual speed."""
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
        # What is waited for needs the processor as well: where asking takes a program, half of the time is left to it.
        time.sleep(max(0.002, now - began))
