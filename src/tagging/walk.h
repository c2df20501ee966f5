/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A walk goes through all tasks in steps, one per WALK_STEP_MS, so that no other task waits long for it. A step is
 * limited in CPU time and in the number of tasks that it makes due. Between two steps, a task that was not visited yet
 * may fork, and its child copies a record that is out of date. So after the last task the walk visits once more those
 * that were born since it began: their parents' records are right by then.
 */
#pragma once

#include <schedqos/policy/tasks.h>

#define WALK_STEP_MS	 5
#define WALK_STEP_CPU_NS 3000000
#define WALK_STEP_DUE	 64

/* The result of a visit. */
enum visit {
	VISIT_SKIPPED, /* nothing: another kind of task */
	VISIT_READ,    /* something was read */
	VISIT_DUE,     /* the task or its process is due for a decision */
};

/* Starts as all zeroes. */
struct walk {
	bool is_on;
	bool is_again;	/* visits those that were born since it began */
	uint32_t began; /* ticks since boot, cut to 32 bits */
	uint32_t cursor;
	uint64_t us; /* CPU time of this walk so far, or of the last one */
};

void walk_begin(struct walk *walk);

/* Visits the next tasks, until the step is over or all have been visited: then walk->is_on is false. */
void walk_step(struct walk *walk, const struct tasks *tasks,
	       enum visit (*visit)(void *context, const struct task *task), void *context);
