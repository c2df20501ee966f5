/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives the kernel's events in the order of time, and has the plan book them. */
#include "tagger_private.h"

#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/tagging/watch.h>
#include <schedqos/util/clock.h>

/* In a storm of events, other sources (bus, signals) get their turn after this many. */
#define TURN_MAX 4096

/* After this many events the tasks that have become due are decided. */
#define BOOK_MAX 512

/*
 * Without a limit, a storm that is faster than we are would keep us here for ever. In this time we handle twice what
 * the buffers hold.
 */
#define DRAIN_MAX_MS 100

/* A batch of datagrams without an event counts as this many: it costs less than events do, but not nothing. */
#define NOISE_EVENTS 32

static void update_boot_clock(struct tagger *tagger)
{
	const uint64_t boottime = clock_ns(CLOCK_BOOTTIME);

	boot_clock_update(&tagger->boot_clock, boottime, clock_ns(CLOCK_MONOTONIC));
}

/*
 * When the child of a fork was born, in ticks. An event may have been sent before a suspend or after it; then the
 * child's start in /proc decides, if it is still there: one that is no later than the event before the suspend is
 * that child's.
 */
static uint32_t start_of(const struct tagger *tagger, const struct task_event *fork)
{
	const uint32_t start = (uint32_t)(boot_clock_at(&tagger->boot_clock, fork->ns) / tagger->tick_ns);
	const uint32_t then = (uint32_t)(boot_clock_then(&tagger->boot_clock, fork->ns) / tagger->tick_ns);
	struct procfs_stat stat;
	int r;

	if (start == then)
		return start;
	watch_enter(fork->tgid);
	r = procfs_thread_stat(tagger->proc, fork->tgid, fork->tid, &stat);
	watch_leave();
	if (r < 0)
		return start;
	return (int32_t)((uint32_t)stat.start - then) <= 0 ? then : start;
}

static void book(struct tagger *tagger, struct task_event *event)
{
	switch (event->what) {
	case EVENT_FORK:
		event->start = start_of(tagger, event);
		tagger->counters.forks++;
		break;
	case EVENT_EXEC:
		tagger->counters.execs++;
		arguments_exec(&tagger->arguments, event->tgid);
		break;
	case EVENT_RENAME:
		names_count(tagger, event->tgid, event->ms);
		break;
	case EVENT_MOVE:
		tagger->counters.moves++;
		break;
	case EVENT_CHANGE:
		changes_count(tagger, event);
		break;
	case EVENT_CHANGE_BEGINS:
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

/* Receives and books up to BOOK_MAX events. Returns whether nothing was left. */
static bool book_batch(struct tagger *tagger)
{
	struct task_event event;
	int error;

	update_boot_clock(tagger);
	for (int i = 0; i < BOOK_MAX; i++) {
		switch (intake_next(tagger->intake, &event, &error)) {
		case INTAKE_EVENT:
			book(tagger, &event);
			break;
		case INTAKE_EMPTY:
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
		case INTAKE_LOST_CHANGES:
			changes_lost(tagger);
			break;
		case INTAKE_ERROR:
			note_error(tagger, error);
			return true;
		}
	}
	return false;
}

bool events_handle(struct tagger *tagger)
{
	bool is_empty = false;

	for (int i = 0; i < TURN_MAX && !is_empty; i += BOOK_MAX) {
		is_empty = book_batch(tagger);
		if (is_empty)
			plan_look_again(tagger->plan, clock_ms());
		decide_due(tagger, is_empty);
	}
	return is_empty;
}

void events_book_some(struct tagger *tagger)
{
	/* A restore does not listen. */
	if (tagger->intake)
		book_batch(tagger);
}

bool events_book(struct tagger *tagger)
{
	const uint32_t began = clock_ms();

	/* A restore does not listen. */
	while (tagger->intake && !book_batch(tagger)) {
		if (clock_ms() - began > DRAIN_MAX_MS)
			return false;
	}
	return true;
}

bool events_drain(struct tagger *tagger)
{
	const uint32_t began = clock_ms();

	if (!tagger->intake) {
		decide_due(tagger, true);
		return true;
	}
	while (!events_handle(tagger)) {
		if (clock_ms() - began > DRAIN_MAX_MS)
			return false;
	}
	return true;
}
