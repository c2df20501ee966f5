/* SPDX-License-Identifier: GPL-2.0-only */
#include "walk.h"

#include <schedqos/util/clock.h>

void walk_begin(struct walk *walk)
{
	*walk = (struct walk){ .is_on = true };
}

void walk_step(struct walk *walk, const struct tasks *tasks,
	       enum visit (*visit)(void *context, const struct task *task), void *context)
{
	/* CPU time, because a suspend during elapsed time would make the next pause last for minutes. */
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	unsigned n_due = 0;
	uint64_t ns = 0;

	while (walk->is_on && n_due < WALK_STEP_DUE && ns < WALK_STEP_CPU_NS) {
		const struct task *task = tasks_next(tasks, &walk->cursor);
		const enum visit result = task ? visit(context, task) : VISIT_READ;

		walk->is_on = task;
		n_due += result == VISIT_DUE;
		if (result != VISIT_SKIPPED)
			ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	walk->us += ns / 1000;
}
