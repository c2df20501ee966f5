/* SPDX-License-Identifier: GPL-2.0-only */
/* How the kernel divides a CPU between two tasks or groups that both want all of it. */
#pragma once

#include <schedqos/policy/task_attr.h>

/* One of two competitors for a CPU, within the lowest cgroup common to both: a task, or the child cgroup it is in. */
struct cpu_rival {
	unsigned group_weight; /* 1024: as a task of nice 0; 0: the task itself */
	struct task_attr task;
};

/*
 * The part of one CPU that the first gets if both want all of it and nobody else does, 0 to 1. Negative: no weight
 * tells, as with deadlines, or for two of one real-time priority unless both are SCHED_RR.
 */
double cpu_share(const struct cpu_rival *a, const struct cpu_rival *b);
