/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes how the kernel divides a CPU between two tasks or cgroups that both want all of it. */
#pragma once

#include <schedqos/policy/task_attr.h>

/*
 * One of two competitors for a CPU. They compete within the lowest cgroup that contains both, either as a task or as
 * the child cgroup that contains the task.
 */
struct cpu_rival {
	unsigned group_weight; /* weight of the child cgroup; 1024 equals a task of nice 0; 0: no child cgroup */
	struct task_attr task;
};

/*
 * Returns the share of one CPU, 0 to 1, that `a` gets if only `a` and `b` want it. Returns a negative number if weights
 * do not decide: if one of them is SCHED_DEADLINE, or both have one real-time priority and not both are SCHED_RR.
 */
double cpu_share(const struct cpu_rival *a, const struct cpu_rival *b);
