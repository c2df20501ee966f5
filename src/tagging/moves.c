/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <schedqos/kernel/trace.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

/* ---- looking at those that are young ---- */

/* The ages of a process at which it is looked at, ms. */
static const uint32_t looks_ms[] = { 200, 1000, 3000 };

/* Between two looks, us; and so many after the last fork there is nobody who is young any more. */
#define LOOK_US	  100000
#define QUIET_MAX 32

static void look_later(struct moves *moves)
{
	moves->looked_ticks = clock_ticks();
	sd_event_source_set_time_relative(moves->timer, LOOK_US);
	sd_event_source_set_enabled(moves->timer, SD_EVENT_ONESHOT);
}

void moves_check(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;
	int is_on;

	if (moves->how == MOVES_POLLED && moves->forks != tagger->counters.forks &&
	    sd_event_source_get_enabled(moves->timer, &is_on) == 0)
		look_later(moves);
}

/* Whether it has reached an age of looks_ms since the last look. */
static bool is_due(const struct tagger *tagger, const struct task *task, uint32_t now_ticks)
{
	const uint32_t age = now_ticks - task->start, age_then = (uint32_t)tagger->moves.looked_ticks - task->start;

	for (size_t i = 0; i < array_size(looks_ms); i++) {
		const int32_t look = (int32_t)(looks_ms[i] * 1000000ULL / tagger->tick_ns);

		if ((int32_t)age >= look && (int32_t)age_then < look)
			return true;
	}
	return false;
}

void moves_book_due(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;
	const uint32_t now_ticks = (uint32_t)clock_ticks();
	struct task_event event = { .what = EVENT_MOVE, .ms = clock_ms() };
	const struct task *task;
	uint32_t cursor = 0;

	while ((task = tasks_next(plan_tasks(tagger->plan), &cursor))) {
		event.tid = event.tgid = task->tid;
		if (task->tid == task->tgid && is_due(tagger, task, now_ticks))
			plan_book(tagger->plan, &event);
	}
	moves->quiet = moves->forks == tagger->counters.forks ? moves->quiet + 1 : 0;
	moves->forks = tagger->counters.forks;
	if (moves->quiet < QUIET_MAX)
		look_later(moves);
}

/* ---- the subscription ---- */

static void close_queue(struct tagger *tagger)
{
	pace_close(&tagger->moves.pace);
	intake_subscribe_moves(tagger->intake, false);
}

static int open_queue(struct tagger *tagger)
{
	int r = intake_subscribe_moves(tagger->intake, true);

	if (r == 0)
		r = pace_open(&tagger->moves.pace, tagger->event, intake_fd(tagger->intake, INTAKE_MOVES));
	if (r < 0)
		intake_subscribe_moves(tagger->intake, false);
	return r;
}

static void subscribe(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;
	int r = open_queue(tagger);

	if (r == 0) {
		moves->how = MOVES_HEARD;
		return;
	}
	if (moves->how != MOVES_POLLED)
		log_notice("moves between cgroups are not heard (%s): processes are looked at again only 0.2, 1 and 3 s "
			   "after their start",
			   cgroup_moves_fault(-r));
	moves->how = MOVES_POLLED;
}

void moves_renew(struct tagger *tagger)
{
	if (tagger->moves.how != MOVES_HEARD)
		return;
	close_queue(tagger);
	subscribe(tagger);
}

void moves_update(struct tagger *tagger)
{
	if (!plan_needs_moves(tagger->plan)) {
		moves_close(tagger);
		return;
	}
	if (tagger->moves.how != MOVES_HEARD)
		subscribe(tagger);
}

void moves_close(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;

	moves->how = MOVES_UNUSED;
	sd_event_source_set_enabled(moves->timer, SD_EVENT_OFF);
	if (tagger->intake)
		close_queue(tagger);
}
