/* SPDX-License-Identifier: GPL-2.0-only */
/* The way back: every task still carrying what we set gets what it, or the ancestor it inherited from, had. */
#include "daemon_private.h"

#define PASSES_MAX 16

/* One pass over all tasks. Returns how many there were to put back. */
static uint64_t pass(struct daemon *daemon)
{
	uint32_t cursor = 0;
	uint64_t count = 0;
	struct task *task;

	while ((task = tasks_next(plan_tasks(daemon->plan), &cursor))) {
		struct plan_action action;

		if (!plan_undo(daemon->plan, task, daemon_facts(daemon, task->tid, task->tgid),
			       &action))
			continue;
		events_act(daemon, &action);
		count++;
	}
	return count;
}

uint64_t undo_all(struct daemon *daemon)
{
	uint64_t total = 0, count;

	/* What is still queued may say that a tid belongs to somebody else by now. */
	events_drain(daemon);
	if (daemon->rescan)
		scan_all(daemon);
	plan_undo_begin(daemon->plan);
	for (int i = 0; i < PASSES_MAX; i++) {
		count = pass(daemon);
		total += count;
		events_drain(daemon);
		if (count == 0 && !daemon->rescan)
			break;
		daemon->rescan = false;
	}
	/* Tasks that nobody told us of, born of tagged ones while events were lost. */
	scan_all(daemon);
	return total;
}
