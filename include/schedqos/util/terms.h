/* SPDX-License-Identifier: GPL-2.0-only */
/* Terms that both the kernel and the policy module use, since neither may include the other. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* ---- an event of a task: the proc connector receives it and the plan books it ---- */

/* The kernel's own numbers (linux/cn_proc.h). Combine them with | to select several. */
enum event_kind {
	EVENT_FORK = 0x1,
	EVENT_EXEC = 0x2,
	EVENT_RENAME = 0x200,
	EVENT_MOVE = 0x10000, /* a move between cgroups; from a tracepoint, not from the proc connector */
};

struct task_event {
	enum event_kind what;
	pid_t tid, tgid;
	pid_t parent_tid, parent_tgid; /* EVENT_FORK: the real parent; for a thread, its process's parent; else 0 */
	uint64_t ns;		       /* CLOCK_MONOTONIC at the event */
	uint32_t ms;		       /* the same in milliseconds, truncated to 32 bits */
	uint32_t start;		       /* EVENT_FORK: ticks since boot, computed by the tagger */
	char comm[16];		       /* EVENT_RENAME: the new name, NUL-terminated; else empty */
};

/* ---- the trees in which the kernel has its knobs, as a configuration names them ---- */

enum knob_tree {
	KNOB_DEBUGFS, /* a file under sched/ of debugfs (since 5.13): FILE */
	KNOB_CPUFREQ, /* a file of every cpufreq policy: POLICY/FILE */
	KNOB_SYSCTL,  /* a file under /proc/sys: its path */
	KNOB_BLOCK,   /* a file under queue/ of block devices: DEVICE/FILE */
};
#define KNOB_TREES 4
