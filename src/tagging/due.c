/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which order the tasks that are due are decided. What needs a process's arguments waits for them, and so does what
 * is marked through it: its threads, and the children that it had while it waited. All else goes on. Once the answers
 * are there, the queues are read and booked once more, since they took a while.
 */
#include "tagger_private.h"

#include <schedqos/util/clock.h>

/*
 * After this many decisions events are booked. A scan may have hundreds of tasks decided in a row; a child that is born
 * meanwhile must copy its parent's record as it is then, not as it is after the next decision about the parent.
 */
#define BOOK_EVERY 16

/* In a storm of events, other sources (bus, signals) get their turn after this many. */
#define TURN_MAX 4096

/* Draining ends after this time: without a limit a storm that is faster than we are would keep us there for ever. */
#define DRAIN_MAX_MS 100

/* Whether the process is among those that wait. */
static bool has(const struct waiting *waiting, pid_t tgid)
{
	for (size_t i = 0; tgid && i < waiting->count; i++) {
		if (waiting->all[i].due.tgid == tgid)
			return true;
	}
	return false;
}

static void put_off(struct waiting *waiting, const struct plan_due *due, uint32_t number)
{
	waiting->all[waiting->count++] = (struct waiting_task){ *due, number };
}

/* Decides, unless the answer to a question has to be waited for. */
static void decide_or_put_off(struct tagger *tagger, const struct plan_due *due)
{
	const uint32_t number = decide_one(tagger, due);

	if (number)
		put_off(&tagger->waiting, due, number);
	if (++tagger->waiting.decided % BOOK_EVERY == 0)
		events_book_some(tagger);
}

/* Goes through what is due. Returns false once there is no more, true if there is no room for more that waits. */
static bool go_through(struct tagger *tagger, bool is_time)
{
	struct waiting *waiting = &tagger->waiting;
	struct plan_due due;

	while (waiting->count < WAITING_MAX) {
		if (!plan_next(tagger->plan, is_time, clock_ms(), &due))
			return false;
		if (plan_asks_argv(tagger->plan, &due))
			put_off(waiting, &due, arguments_want(&tagger->arguments, due.tgid));
		else if (has(waiting, due.tgid) || has(waiting, due.parent))
			put_off(waiting, &due, 0);
		else
			decide_or_put_off(tagger, &due);
	}
	return true;
}

/* Decides what need not wait any longer, in the order of marking. */
static void go_through_waiting(struct tagger *tagger)
{
	struct waiting *waiting = &tagger->waiting;
	const size_t count = waiting->count;

	waiting->count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct waiting_task task = waiting->all[i];
		const enum question_state state = arguments_state(&tagger->arguments, task.number);

		/* It has been marked anew since. */
		if (state == QUESTION_POINTLESS)
			continue;
		if (state == QUESTION_NEW || state == QUESTION_ASKED || has(waiting, task.due.tgid) ||
		    has(waiting, task.due.parent))
			put_off(waiting, &task.due, task.number);
		else
			decide_or_put_off(tagger, &task.due);
	}
	for (size_t i = 0; i < waiting->count; i++)
		arguments_keep(&tagger->arguments, waiting->all[i].due.tgid);
	arguments_end_round(&tagger->arguments);
}

void due_decide(struct tagger *tagger, bool is_time)
{
	struct waiting *waiting = &tagger->waiting;
	bool is_full, settled;

	do {
		is_full = go_through(tagger, is_time);
		settled = (waiting->count || tagger->arguments.count) && arguments_exchange(&tagger->arguments, is_full);
		if (settled) {
			events_book_some(tagger);
			go_through_waiting(tagger);
		}
	} while (is_full || settled);
	if (tagger->arguments.list_is_full) {
		tagger->arguments.list_is_full = false;
		problem_report(&tagger->problems[PROBLEM_UNREAD],
			       "too many processes whose arguments cannot be read: a reload looks at all again");
	}
}

void due_settle(struct tagger *tagger)
{
	due_decide(tagger, true);
	while (tagger->waiting.count) {
		arguments_exchange(&tagger->arguments, true);
		due_decide(tagger, true);
	}
}

void due_settle_at_once(struct tagger *tagger)
{
	arguments_end(&tagger->arguments);
	go_through_waiting(tagger);
	due_settle(tagger);
}

bool due_handle(struct tagger *tagger)
{
	bool is_empty = false;

	for (int i = 0; i < TURN_MAX && !is_empty; i += EVENTS_BATCH) {
		is_empty = events_book_some(tagger);
		due_decide(tagger, is_empty);
	}
	return is_empty;
}

bool due_drain(struct tagger *tagger)
{
	const uint32_t began = clock_ms();

	while (tagger->intake && !due_handle(tagger)) {
		if (clock_ms() - began > DRAIN_MAX_MS)
			return false;
	}
	due_settle(tagger);
	return true;
}
