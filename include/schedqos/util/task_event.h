/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of a task: the proc connector hands it out, and the plan books it. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* The kernel's own numbers (linux/cn_proc.h), to be or'ed where several are asked for. */
enum event_kind {
	EVENT_FORK = 0x1,
	EVENT_EXEC = 0x2,
	EVENT_RENAME = 0x200,
};

struct task_event {
	enum event_kind what;
	pid_t tid, tgid;
	pid_t parent_tid, parent_tgid; /* EVENT_FORK: the real parent, for a thread its process's; else 0 */
	uint64_t ns;		       /* CLOCK_MONOTONIC when it happened */
	uint32_t ms;		       /* the same, cut to 32 bits */
	uint32_t start;		       /* EVENT_FORK: ticks since boot; not the kernel's word, the tagger works it out */
	char comm[16];		       /* EVENT_RENAME: the new name, NUL-terminated; else empty */
};
