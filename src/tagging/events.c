/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives the kernel's events in the order of time, and has the plan book them. */
#include "tagger_private.h"

#include <string.h>

#include <schedqos/util/clock.h>

/*
 * Without a limit, a storm that is faster than we are would keep us here for ever. In this time we handle twice what
 * the buffers hold.
 */
#define DRAIN_MAX_MS 100

/* A batch of datagrams without an event counts as this many: it costs less than events do, but not nothing. */
#define NOISE_EVENTS 32

/*
 * Events carry CLOCK_MONOTONIC, which stands still while the machine is suspended; the starts in /proc are of
 * CLOCK_BOOTTIME. Whatever comes between reading the two makes a start later, and so does a suspend since the event:
 * a recorded start may be late by any time.
 */
static void update_suspended(struct tagger *tagger)
{
	const uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);

	tagger->suspended_ns = clock_ns(CLOCK_BOOTTIME) - monotonic;
}

static void book(struct tagger *tagger, struct task_event *event)
{
	switch (event->what) {
	case EVENT_FORK:
		event->start = (uint32_t)((event->ns + tagger->suspended_ns) / tagger->tick_ns);
		/* The id may have been another's, though not for long. */
		if (event->tid == event->tgid)
			arguments_changed(&tagger->arguments, event->tgid);
		tagger->counters.forks++;
		break;
	case EVENT_EXEC:
		tagger->counters.execs++;
		arguments_changed(&tagger->arguments, event->tgid);
		break;
	case EVENT_RENAME:
		names_count(tagger, event->tgid, event->ms);
		break;
	case EVENT_MOVE:
		tagger->counters.moves++;
		break;
	}
	plan_book(tagger->plan, event);
}

static void note_loss(struct tagger *tagger)
{
	tagger->counters.lost++;
	tagger->events_lost = true;
	problem_report(&tagger->problems[PROBLEM_LOST], "the kernel dropped events: scanning every task again");
}

static void note_error(struct tagger *tagger, int error)
{
	tagger->counters.receive_errors++;
	tagger->events_lost = true;
	problem_report(&tagger->problems[PROBLEM_RECEIVE], "receiving events: %s", strerror(error));
}

bool events_book_some(struct tagger *tagger)
{
	const uint32_t began_ms = clock_ms();
	struct task_event event;
	int error;

	/* A restore does not listen. */
	if (!tagger->intake)
		return true;
	update_suspended(tagger);
	for (int i = 0; i < EVENTS_BATCH; i++) {
		switch (intake_next(tagger->intake, &event, &error)) {
		case INTAKE_EVENT:
			tagger->booked_ms = event.ms;
			book(tagger, &event);
			break;
		case INTAKE_EMPTY:
			tagger->booked_ms = began_ms;
			return true;
		case INTAKE_NOISE:
			i += NOISE_EVENTS;
			break;
		case INTAKE_LOST:
			note_loss(tagger);
			break;
		case INTAKE_LOST_NAMES:
			names_lost(tagger);
			break;
		case INTAKE_ERROR:
			note_error(tagger, error);
			return true;
		}
	}
	return false;
}

bool events_book(struct tagger *tagger)
{
	const uint32_t began = clock_ms();

	while (!events_book_some(tagger)) {
		if (clock_ms() - began > DRAIN_MAX_MS)
			return false;
	}
	return true;
}
