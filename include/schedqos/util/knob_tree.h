/* SPDX-License-Identifier: GPL-2.0-only */
/* The trees in which the kernel has its knobs, as a configuration names them. */
#pragma once

enum knob_tree {
	KNOB_DEBUGFS, /* a file under sched/ of debugfs (since 5.13): FILE */
	KNOB_CPUFREQ, /* a file of every cpufreq policy: POLICY/FILE */
	KNOB_SYSCTL,  /* a file under /proc/sys: its path */
	KNOB_BLOCK,   /* a file under queue/ of block devices: DEVICE/FILE */
};
#define KNOB_TREES 4
