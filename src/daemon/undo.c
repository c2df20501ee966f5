/* SPDX-License-Identifier: GPL-2.0-only */
/* The way back: every task still carrying what we set gets what it, or the ancestor it inherited from, had. */
#include "daemon_private.h"

#include <schedqos/kernel/procfs.h>

#define PASSES_MAX 16

/*
 * A fork copies the attributes first and is announced last, after its parent's memory maps: 20 ms for 700 MB here. So a
 * child of a task that has just been put back may still be to come.
 */
#define LINGER_MS 250
#define LINGER_STEP_MS 10

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

/* A task that is asleep, as nearly all are, is in no fork. */
static bool may_be_forking(struct daemon *daemon)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan_tasks(daemon->plan), &cursor))) {
		struct procfs_stat stat;

		if (task->reason == REASON_UNDONE &&
		    procfs_thread_stat(daemon->proc, task->tgid, task->tid, &stat) == 0 &&
		    (stat.state == 'R' || stat.state == 'D'))
			return true;
	}
	return false;
}

/* Puts back until there is nothing more to put back. Returns how many there were. */
static uint64_t undo_known(struct daemon *daemon)
{
	uint64_t total = 0, count;

	for (int i = 0; i < PASSES_MAX; i++) {
		count = pass(daemon);
		total += count;
		events_drain(daemon);
		if (count == 0 && !daemon->rescan)
			break;
		if (daemon->rescan)
			scan_all(daemon);
	}
	return total;
}

static void await_forks(struct daemon *daemon)
{
	uint32_t began = daemon_now_ms();

	while (daemon_now_ms() - began < LINGER_MS && may_be_forking(daemon)) {
		intake_wait(daemon->intake, LINGER_STEP_MS);
		events_drain(daemon);
		undo_known(daemon);
	}
}

uint64_t undo_all(struct daemon *daemon)
{
	uint64_t set;

	/* What is still queued may say that a tid belongs to somebody else by now. */
	events_drain(daemon);
	if (daemon->rescan)
		scan_all(daemon);
	plan_undo_begin(daemon->plan);
	set = daemon->stats.set;
	undo_known(daemon);
	if (daemon->intake)
		await_forks(daemon);
	/* Tasks that nobody told us of, born of tagged ones while events were lost. */
	scan_all(daemon);
	return daemon->stats.set - set;
}
