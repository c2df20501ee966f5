/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel has its knobs: the trees that a configuration names, and through which the files are reached. */
#pragma once

enum knob_tree {
	KNOB_DEBUGFS, /* a file under sched/ of debugfs (since 5.13): FILE */
	KNOB_CPUFREQ, /* a file of every cpufreq policy: POLICY/FILE */
	KNOB_SYSCTL,  /* a file under /proc/sys: its path */
	KNOB_BLOCK,   /* a file under queue/ of block devices: DEVICE/FILE */
};
#define KNOB_TREES 4
