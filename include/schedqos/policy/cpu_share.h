/* SPDX-License-Identifier: GPL-2.0-only */
/* How the kernel divides a CPU between two that want all of it. */
#pragma once

#include <stdint.h>

/* What a fair task of that nice value, -20..19, weighs: 1024 for 0 (sched_prio_to_weight in kernel/sched/core.c). */
unsigned nice_weight(int nice);

/* The same under a policy, enum task_policy: SCHED_IDLE weighs 3, whatever the nice value (WEIGHT_IDLEPRIO in sched.h). */
unsigned fair_weight(uint32_t policy, int nice);

/* What competes where the ways of two tasks part: the cpu cgroup that the task is in there, or the task itself. */
struct cpu_rival {
	unsigned group_weight; /* as nice_weight; 0: the task itself */
	uint32_t policy;       /* enum task_policy */
	int nice;
	unsigned priority; /* of a real-time task */
};

/*
 * The part of one CPU that the first gets if both want all of it and nobody else does, 0 to 1. Negative: no weight tells,
 * as with deadlines, or for two of one real-time priority unless both are SCHED_RR.
 */
double cpu_share(const struct cpu_rival *a, const struct cpu_rival *b);
