/* SPDX-License-Identifier: GPL-2.0-only */
/* The way back: every task still carrying what we set gets what it, or the ancestor it inherited from, had. */
#include "tagger_private.h"

#include <stdlib.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/tagging/watch.h>
#include <schedqos/util/clock.h>

/*
 * A fork copies the attributes first and is announced last, after its parent's memory maps: 20 ms for 700 MB here, and
 * more beside others who want the CPU. So a child of a task that has just been put back may still be to come.
 */
#define LINGER_MS 5000
#define LINGER_STEP_MS 10

/* A task that was put back awake, in the midst of a fork maybe. */
struct forker {
	pid_t tid, tgid;
	uint64_t utime;
};

struct forkers {
	struct forker *all;
	size_t count, size;
	uint32_t noted_ms; /* CLOCK_MONOTONIC; who was put back since then is still to be noted */
};

/* A task that is asleep, as nearly all are, is in no fork. */
static bool is_awake(const struct tagger *tagger, const struct forker *forker, uint64_t *ret_utime)
{
	struct procfs_stat stat;
	int r;

	watch_enter(forker->tgid);
	r = procfs_thread_stat(tagger->proc, forker->tgid, forker->tid, &stat);
	watch_leave();
	if (r < 0)
		return false;
	*ret_utime = stat.utime;
	return stat.state == 'R' || stat.state == 'D';
}

static void note_forker(struct forkers *forkers, const struct forker *forker)
{
	if (forkers->count == forkers->size) {
		size_t size = forkers->size ? forkers->size * 2 : 64;
		struct forker *all = reallocarray(forkers->all, size, sizeof(*all));

		/* Without memory it is not waited for. */
		if (!all)
			return;
		forkers->all = all;
		forkers->size = size;
	}
	forkers->all[forkers->count++] = *forker;
}

/* Adds those who were put back since the last time, on whatever occasion. */
static void note_forkers(const struct tagger *tagger, struct forkers *forkers)
{
	const uint32_t since_ms = forkers->noted_ms;
	uint32_t cursor = 0;
	struct task *task;

	forkers->noted_ms = clock_ms();
	while ((task = tasks_next(plan_tasks(tagger->plan), &cursor))) {
		struct forker forker = { .tid = task->tid, .tgid = task->tgid };

		if (task->state == TASK_UNDONE && (int32_t)(task->changed_ms - since_ms) >= 0 &&
		    is_awake(tagger, &forker, &forker.utime))
			note_forker(forkers, &forker);
	}
}

/* Keeps those who have neither slept nor, but for an error of the sampling, run code of their own since. */
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

/* Decides by all that has been heard of, and where that is not all, by what there is. */
static void catch_up(struct tagger *tagger)
{
	events_drain(tagger);
	if (tagger->events_lost)
		scan_all(tagger);
}

/* began_ms: before anything was put back. */
static void await_forks(struct tagger *tagger, uint32_t began_ms)
{
	const uint32_t began = clock_ms();
	struct forkers forkers = { .noted_ms = began_ms };

	note_forkers(tagger, &forkers);
	while (forkers.count && clock_ms() - began < LINGER_MS) {
		intake_wait(tagger->intake, LINGER_STEP_MS);
		catch_up(tagger);
		check_forkers(tagger, &forkers);
		note_forkers(tagger, &forkers);
	}
	free(forkers.all);
}

uint64_t undo_all(struct tagger *tagger)
{
	uint32_t began_ms;
	uint64_t set;

	/* What is still queued may say that a tid belongs to somebody else by now. */
	catch_up(tagger);
	plan_undo_begin(tagger->plan);
	began_ms = clock_ms();
	set = tagger->counters.set;
	/* Who restores has heard of nothing since the daemon died: not of births, nor of ids that are others' by now. */
	if (!tagger->intake)
		scan_all(tagger);
	catch_up(tagger);
	await_forks(tagger, began_ms);
	/* Tasks that nobody told us of, born of tagged ones while events were lost or nobody listened. */
	scan_all(tagger);
	return tagger->counters.set - set;
}
