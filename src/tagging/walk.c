/* SPDX-License-Identifier: GPL-2.0-only */
#include "walk.h"

#include <schedqos/util/clock.h>

void walk_begin(struct walk *walk)
{
	*walk = (struct walk){ .is_on = true, .began = (uint32_t)clock_ticks() };
}

/* Starts of tasks come from another clock, so those of the second before are taken as well. */
#define SLACK_TICKS 100

static bool is_of_interest(const struct walk *walk, const struct task *task)
{
	return !walk->is_again || (int32_t)(task->start - walk->began) >= -SLACK_TICKS;
}

/*
 * Returns the next task to visit, or NULL after the last. Then the walk ends; but if it took several steps, it first
 * goes once more over the tasks that were born meanwhile.
 */
static const struct task *next_task(struct walk *walk, const struct tasks *tasks, bool is_first_step)
{
	const struct task *task;

	while ((task = tasks_next(tasks, &walk->cursor))) {
		if (is_of_interest(walk, task))
			return task;
	}
	walk->is_on = !walk->is_again && !is_first_step;
	walk->is_again = true;
	walk->cursor = 0;
	return NULL;
}

void walk_step(struct walk *walk, const struct tasks *tasks,
	       enum visit (*visit)(void *context, const struct task *task), void *context)
{
	/* CPU time, because a suspend during elapsed time would make the next pause last for minutes. */
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const bool is_first = !walk->cursor && !walk->is_again;
	unsigned n_due = 0;
	uint64_t ns = 0;

	while (walk->is_on && n_due < WALK_STEP_DUE && ns < WALK_STEP_CPU_NS) {
		const struct task *task = next_task(walk, tasks, is_first);
		const enum visit result = task ? visit(context, task) : VISIT_READ;

		n_due += result == VISIT_DUE;
		if (result != VISIT_SKIPPED)
			ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	walk->us += ns / 1000;
}
