/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's room and the policy's both speak of, since neither knows the other. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* ---- an event of a task: the proc connector receives it and the plan books it ---- */

/* The kernel's own numbers (linux/cn_proc.h), or'ed to select several. */
enum event_kind {
	EVENT_FORK = 0x1,
	EVENT_EXEC = 0x2,
	EVENT_RENAME = 0x200,
	EVENT_MOVE = 0x10000, /* between cgroups: not the connector's, but a tracepoint's */
};

struct task_event {
	enum event_kind what;
	pid_t tid, tgid;
	pid_t parent_tid, parent_tgid; /* EVENT_FORK: the real parent, for a thread that of its process; else 0 */
	uint64_t ns;		       /* CLOCK_MONOTONIC when it happened */
	uint32_t ms;		       /* the same, cut to 32 bits */
	uint32_t start;		       /* EVENT_FORK: ticks since boot; computed by the tagger */
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
