/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/trace.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

/* After its exec, when a process is looked at again. */
static const uint32_t looks_ms[MOVES_LOOKS] = { 200, 1000, 3000 };

/* ---- whom to look at again ---- */

static bool push(struct moves_queue *queue, const struct moves_entry *entry)
{
	struct moves_entry *entries = queue->entries;

	if (queue->first == queue->count)
		queue->first = queue->count = 0;
	/* Half of it is of no more use. */
	if (queue->count == queue->size && queue->first > queue->size / 2) {
		queue->count -= queue->first;
		memmove(entries, entries + queue->first, queue->count * sizeof(*entries));
		queue->first = 0;
	}
	if (queue->count == queue->size) {
		const size_t size = queue->size ? queue->size * 2 : 64;

		entries = reallocarray(entries, size, sizeof(*entries));
		if (!entries)
			return false;
		queue->entries = entries;
		queue->size = size;
	}
	queue->entries[queue->count++] = *entry;
	return true;
}

static void clear(struct moves *moves)
{
	for (int i = 0; i < MOVES_LOOKS; i++) {
		free(moves->queues[i].entries);
		moves->queues[i] = (struct moves_queue){ 0 };
	}
	sd_event_source_set_enabled(moves->timer, SD_EVENT_OFF);
}

/* Sets the timer for the earliest look. */
static void set_timer(struct moves *moves)
{
	const uint32_t now = clock_ms();
	int32_t earliest = INT32_MAX;

	for (int i = 0; i < MOVES_LOOKS; i++) {
		const struct moves_queue *queue = &moves->queues[i];
		int32_t in_ms;

		if (queue->first == queue->count)
			continue;
		in_ms = (int32_t)(queue->entries[queue->first].ms + looks_ms[i] - now);
		earliest = in_ms < earliest ? in_ms : earliest;
	}
	if (earliest == INT32_MAX) {
		sd_event_source_set_enabled(moves->timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time_relative(moves->timer, earliest > 0 ? (uint64_t)earliest * 1000 : 0);
	sd_event_source_set_enabled(moves->timer, SD_EVENT_ONESHOT);
}

static void look_later(struct tagger *tagger, int look, const struct moves_entry *entry)
{
	if (look < MOVES_LOOKS && !push(&tagger->moves.queues[look], entry))
		shortage_note(tagger, -ENOMEM);
}

void moves_look_again(struct tagger *tagger, pid_t tgid, uint32_t ms)
{
	struct moves *moves = &tagger->moves;
	const bool is_on = moves->queues[0].first < moves->queues[0].count;

	look_later(tagger, 0, &(struct moves_entry){ tgid, ms });
	if (!is_on)
		set_timer(moves);
}

void moves_book_due(struct tagger *tagger)
{
	struct task_event event = { .what = EVENT_MOVE };

	event.ms = clock_ms();
	for (int i = 0; i < MOVES_LOOKS; i++) {
		struct moves_queue *queue = &tagger->moves.queues[i];

		for (; queue->first < queue->count; queue->first++) {
			const struct moves_entry entry = queue->entries[queue->first];

			if ((int32_t)(event.ms - entry.ms - looks_ms[i]) < 0)
				break;
			event.tid = event.tgid = entry.tgid;
			plan_book(tagger->plan, &event);
			look_later(tagger, i + 1, &entry);
		}
	}
	set_timer(&tagger->moves);
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
		clear(moves);
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
	clear(moves);
	if (tagger->intake)
		close_queue(tagger);
}
