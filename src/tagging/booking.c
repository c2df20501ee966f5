/* SPDX-License-Identifier: GPL-2.0-only */
/* Books queued events in chronological order. */
#include "decider.h"

#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/*
 * Longest time to book events. Without a limit, a storm that is faster than we are would keep us here forever. In this
 * time we handle twice as many events as the buffers hold.
 */
#define BOOK_MAX_MS 100

#define EVENTS_BATCH 512

/* Time for which the user of a moved process is remembered: looking it up takes longer than reading the event. */
#define MOVER_MS 1000

static uid_t user_of_moved(struct decider *decider, pid_t tgid, uint32_t ms)
{
	struct mover *mover = &decider->movers[(uint32_t)tgid % MOVERS];

	if (mover->tgid != tgid || ms - mover->ms >= MOVER_MS)
		*mover = (struct mover){ tgid, procfs_payer(decider->proc, tgid), ms };
	return mover->user;
}

/* Returns whether to match a moved process again now; if not, it is matched when its user's debt has shrunk. */
static bool may_match_moved(struct decider *decider, pid_t tid)
{
	const struct task *task = tasks_find(plan_tasks(decider->plan), tid);
	const uint32_t ms = clock_ms();
	uid_t user;

	if (!task)
		return false;
	user = user_of_moved(decider, task->tgid, ms);
	if (!spending_allows(&decider->spending, user, ms)) {
		retries_note(&decider->spending.spared, task->tgid, ms);
		return false;
	}
	if (spending_note_move(&decider->spending, user, ms))
		problem_report(&decider->tally->problems[PROBLEM_SPENDING],
			       "processes of user %u move between cgroups too often, the last was process %d: for some seconds "
			       "a move does not change their class",
			       (unsigned)user, (int)task->tgid);
	return true;
}

/* Forgets the arguments of a process that runs another program, or whose id belongs to another process. */
static void forget_arguments(struct decider *decider, pid_t tgid)
{
	arguments_changed(&decider->arguments, tgid);
	deferred_forget(&decider->deferred, tgid);
}

static void book(struct decider *decider, const struct task_event *event)
{
	if (event->what == EVENT_FORK && event->tid == event->tgid) {
		/* The id may have belonged to another process, though not for long. */
		forget_arguments(decider, event->tgid);
		live_facts_forget_cgroup(decider->facts, event->tgid);
	} else if (event->what == EVENT_EXEC) {
		forget_arguments(decider, event->tgid);
		decider->exec_ms = event->ms;
	} else if (event->what == EVENT_MOVE && !may_match_moved(decider, event->tid)) {
		return;
	}
	plan_book(decider->plan, event);
}

static void note_loss(struct decider *decider)
{
	decider->tally->counters.lost++;
	decider->events_lost = true;
	problem_report(&decider->tally->problems[PROBLEM_LOST], "the kernel dropped events: scanning every task again");
}

/* Nothing tells whether the next try would fail, too, so the loop ends; systemd starts the service again. */
static void note_error(struct decider *decider, int error)
{
	if (!decider->receive_error)
		log_error("cannot receive events: %s", strerror(error));
	decider->receive_error = -error;
}

bool decider_book_some(struct decider *decider)
{
	struct task_event event;
	int error;

	/* A tagger without a loop (offline.c) has no subscription. */
	if (!decider->intake)
		return true;
	for (int i = 0; i < EVENTS_BATCH; i++) {
		switch (intake_next(decider->intake, &event, &error)) {
		case INTAKE_EVENT:
			decider->booked_ms = event.ms;
			book(decider, &event);
			break;
		case INTAKE_EMPTY:
			decider->booked_ms = (uint32_t)(intake_read_until_us(decider->intake) / 1000);
			return true;
		case INTAKE_LOST:
			note_loss(decider);
			break;
		case INTAKE_ERROR:
			note_error(decider, error);
			return true;
		}
	}
	return false;
}

bool decider_book(struct decider *decider)
{
	uint32_t began;

	if (decider_book_some(decider))
		return true;
	began = clock_ms();
	while (!decider_book_some(decider)) {
		if (clock_ms() - began > BOOK_MAX_MS)
			return false;
	}
	return true;
}
