/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives every task that still carries what we set the attributes that it, or the ancestor it inherited from, had. */
#include "tagger_private.h"

#include <stdlib.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/*
 * A fork copies the attributes first, then the memory maps (20 ms for 700 MB here, and more on a busy machine), and
 * only then sends its event. So a task that has just been put back may still have a child on the way with what we
 * set.
 */
#define LINGER_MS 5000
#define LINGER_STEP_MS 10

/* A task that was awake when it was put back, perhaps in the middle of a fork. */
struct forker {
	pid_t tid, tgid;
	uint64_t utime;
};

struct forkers {
	struct forker *all;
	size_t count, size;
};

/* A sleeping task, as nearly all are, is not in a fork. */
static bool is_awake(const struct tagger *tagger, const struct forker *forker, uint64_t *ret_utime)
{
	struct procfs_stat stat;
	int r;

	r = procfs_thread_stat(tagger->proc, forker->tgid, forker->tid, &stat);
	if (r < 0)
		return false;
	*ret_utime = stat.utime;
	return stat.state == 'R' || stat.state == 'D';
}

static void add_forker(struct forkers *forkers, const struct forker *forker)
{
	if (forkers->count == forkers->size) {
		size_t size = forkers->size ? forkers->size * 2 : 64;
		struct forker *all = reallocarray(forkers->all, size, sizeof(*all));

		/* Without memory we do not wait for it. */
		if (!all)
			return;
		forkers->all = all;
		forkers->size = size;
	}
	forkers->all[forkers->count++] = *forker;
}

/* Adds the tasks that were put back since the last call. FRESH says nothing else any more. */
static void add_forkers(const struct tagger *tagger, struct forkers *forkers)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan_tasks(tagger->plan), &cursor))) {
		struct forker forker = { .tid = task->tid, .tgid = task->tgid };

		if (task->state != TASK_UNDONE || !(task->flags & TASK_FRESH))
			continue;
		task->flags &= ~TASK_FRESH;
		if (is_awake(tagger, &forker, &forker.utime))
			add_forker(forkers, &forker);
	}
}

/* Keeps those that have neither slept nor run in user mode since; utime is sampled, hence the tolerance. */
static void check_forkers(const struct tagger *tagger, struct forkers *forkers)
{
	size_t kept = 0;
	uint64_t utime;

	for (size_t i = 0; i < forkers->count; i++) {
		const struct forker *forker = &forkers->all[i];

		if (is_awake(tagger, forker, &utime) && utime <= forker->utime + 1)
			forkers->all[kept++] = *forker;
	}
	forkers->count = kept;
}

/* Handles all queued events and, if some were lost, scans. */
static void catch_up(struct tagger *tagger)
{
	events_drain(tagger);
	if (tagger->events_lost)
		scan_all(tagger);
}

static void await_forks(struct tagger *tagger)
{
	const uint32_t began = clock_ms();
	struct forkers forkers = { 0 };

	add_forkers(tagger, &forkers);
	while (forkers.count && clock_ms() - began < LINGER_MS) {
		intake_wait(tagger->intake, LINGER_STEP_MS);
		catch_up(tagger);
		check_forkers(tagger, &forkers);
		add_forkers(tagger, &forkers);
	}
	free(forkers.all);
}

uint64_t undo_all(struct tagger *tagger)
{
	uint64_t set;

	/* Whoever stops us does not wait for anybody's arguments. */
	due_settle_at_once(tagger);
	/* Queued events may show that a tid has been reused. */
	catch_up(tagger);
	plan_undo_begin(tagger->plan);
	set = tagger->counters.set;
	/* A restore has no events: neither births nor reused ids are known to it. */
	if (!tagger->intake)
		scan_all(tagger);
	catch_up(tagger);
	await_forks(tagger);
	/* Finds children of tagged tasks whose forks we never received. */
	scan_all(tagger);
	return tagger->counters.set - set;
}
