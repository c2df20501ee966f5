# SPDX-License-Identifier: GPL-2.0-only
"""Finds out without the daemon which features this kernel has."""

import contextlib
import glob
import os

from attributes import has_clamp, has_slice
from requirements import proc_connector_fault

SCHED_DEBUG = "/sys/kernel/debug/sched"


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return None


def knob():
    """Returns the name of the base slice in debugfs; None if it cannot be written."""
    for name in ("base_slice_ns", "min_granularity_ns"):
        path = os.path.join(SCHED_DEBUG, name)
        value = read(path)
        if value is not None:
            with contextlib.suppress(OSError):
                with open(path, "w", encoding="ascii") as file:
                    file.write(value)
                return name
    return None


def features():
    return {
        "proc_connector": proc_connector_fault() is None,
        "custom_slice": has_slice(),
        "util_clamp": has_clamp(),
        "sched_ext": os.path.isdir("/sys/kernel/sched_ext"),
        "autogroup": read("/proc/sys/kernel/sched_autogroup_enabled") is not None,
        "debugfs": knob() is not None,
        "base_slice": knob() == "base_slice_ns",
        "cpufreq": bool(glob.glob("/sys/devices/system/cpu/cpufreq/policy*/scaling_governor")),
        "hrtick": "HRTICK" in (read(os.path.join(SCHED_DEBUG, "features")) or "").split(),
    }
