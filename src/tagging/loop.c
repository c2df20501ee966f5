/* SPDX-License-Identifier: GPL-2.0-only */
/* The tagger's event sources: queues of events, requests, and timers. */
#include "tagger_private.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

/* Sets the timer of answers that are late, and of what is to be tried again. */
static void await_answers(struct tagger *tagger)
{
	uint32_t at_ms;

	if (arguments_next(&tagger->arguments, &at_ms)) {
		const int32_t in_ms = (int32_t)(at_ms - clock_ms());

		sd_event_source_set_time_relative(tagger->later, in_ms > 0 ? (uint64_t)in_ms * 1000 : 0);
		sd_event_source_set_enabled(tagger->later, SD_EVENT_ONESHOT);
		tagger->later_is_set = true;
	} else if (tagger->later_is_set) {
		sd_event_source_set_enabled(tagger->later, SD_EVENT_OFF);
		tagger->later_is_set = false;
	}
}

/* ---- shortages ---- */

/* A scan of 1,000 tasks takes 10 ms. */
#define RETRY_AFTER_US 1000000

static void note_shortage(struct tagger *tagger, int error)
{
	if (error != -EMFILE && error != -ENFILE && error != -ENOMEM)
		return;
	problem_report(&tagger->problems[PROBLEM_SHORTAGE], "%s%s: tasks had to wait, or still do", strerror(-error),
		       error == -ENOMEM ? ", or no room in " STATE_FOLDER : "");
	sd_event_source_set_time_relative(tagger->shortage.timer, RETRY_AFTER_US);
	sd_event_source_set_enabled(tagger->shortage.timer, SD_EVENT_ONESHOT);
}

static void check_shortage(struct tagger *tagger)
{
	const uint64_t failed = plan_failed(tagger->plan);

	note_shortage(tagger, live_facts_take_error(tagger->facts));
	note_shortage(tagger, tagger->shortage.scan_error);
	tagger->shortage.scan_error = 0;
	if (failed != tagger->shortage.records_failed)
		note_shortage(tagger, -ENOMEM);
	tagger->shortage.records_failed = failed;
}

/* ---- handling ---- */

/*
 * Handles what is queued, and then what has to wait for an empty queue. Once it has dropped an event, the kernel drops all,
 * without reporting it again, until the queue has been empty (netlink_overrun in af_netlink.c): what a scan finds before that
 * may go out of date unnoticed. And forks of an ended task may be queued, whose children inherit from it, so only for
 * want of memory its record goes earlier.
 */
static void handle(struct tagger *tagger)
{
	bool is_empty;

	is_empty = events_handle(tagger);
	names_check(tagger);
	traced_check(tagger);
	check_shortage(tagger);
	if (is_empty && tagger->events_lost)
		scan_all(tagger);
	if (tasks_count(plan_tasks(tagger->plan)) > (is_empty ? 1 : 2) * tagger->sweep_at)
		scan_sweep(tagger);
	if (!is_empty || tagger->events_lost)
		tagger_wake(tagger);
	await_answers(tagger);
}

static int on_request(sd_event_source *source, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	if (tagger->scan_requested)
		scan_all(tagger);
	if (tagger->intake)
		handle(tagger);
	return 0;
}

/* Execs, forks, renames or moves. */
static void on_paced(void *context)
{
	handle(context);
}

/* Subscribes before it reads, so that no rename is missed in between. */
static int on_names_due(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)usec;
	names_resume(tagger);
	events_book(tagger);
	names_read(tagger);
	handle(tagger);
	return 0;
}

static int on_moves_due(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)usec;
	/* A process with an id that was reused since is another. */
	events_book(tagger);
	moves_book_due(tagger);
	handle(tagger);
	return 0;
}

/* An answer is late, or somebody is to be asked again: which is booked like a move, as it marks the same. */
static int on_later(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;
	struct task_event event = { .what = EVENT_MOVE, .ms = clock_ms() };

	(void)source;
	(void)usec;
	event.tid = event.tgid = unread_retry(&tagger->arguments.unread, event.ms);
	if (event.tid)
		plan_book(tagger->plan, &event);
	handle(tagger);
	return 0;
}

static int on_shortage_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	request_scan(userdata);
	return 0;
}

/* Adds a timer that does not run yet. */
static int add_timer(struct tagger *tagger, sd_event_source **ret, uint64_t accuracy_us,
		     sd_event_time_handler_t handler)
{
	int r = sd_event_add_time(tagger->event, ret, CLOCK_MONOTONIC, 0, accuracy_us, handler, tagger);

	return r < 0 ? r : sd_event_source_set_enabled(*ret, SD_EVENT_OFF);
}

int loop_init(struct tagger *tagger)
{
	/* From 800 a second on two share a wake-up and what the helper is asked: a third of what each costs. */
	static const struct pace_limits exec_limits = { .many = 8, .share = 2, .longest_us = 2000 };
	/* A child is born right; but an exec waits until the forks before it are booked, at 1 us each. */
	static const struct pace_limits fork_limits = { .many = 4, .share = 32, .longest_us = 10000 };
	/* A program's threads are named one after the other when it starts, and each waits for its class. */
	static const struct pace_limits other_limits = { .many = 16, .share = 16, .longest_us = 10000 };
	int r = sd_event_add_defer(tagger->event, &tagger->requests, on_request, tagger);

	if (r >= 0)
		r = sd_event_source_set_enabled(tagger->requests, SD_EVENT_OFF);
	if (r >= 0)
		r = add_timer(tagger, &tagger->names.timer, 1, on_names_due);
	if (r >= 0)
		r = add_timer(tagger, &tagger->moves.timer, 10000, on_moves_due);
	if (r >= 0)
		r = add_timer(tagger, &tagger->later, 1000, on_later);
	if (r >= 0)
		r = add_timer(tagger, &tagger->shortage.timer, 0, on_shortage_over);
	pace_init(&tagger->paces[INTAKE_EXECS], &tagger->counters.execs, exec_limits, on_paced, tagger);
	pace_init(&tagger->paces[INTAKE_FORKS], &tagger->counters.forks, fork_limits, on_paced, tagger);
	pace_init(&tagger->paces[INTAKE_NAMES], &tagger->counters.renames, other_limits, on_paced, tagger);
	pace_init(&tagger->paces[INTAKE_MOVES], &tagger->counters.moves, other_limits, on_paced, tagger);
	return r;
}

int loop_listen(struct tagger *tagger)
{
	int r = queue_open(tagger, INTAKE_EXECS);

	return r < 0 ? r : queue_open(tagger, INTAKE_FORKS);
}

void loop_free(struct tagger *tagger)
{
	sd_event_source_disable_unref(tagger->shortage.timer);
	sd_event_source_disable_unref(tagger->later);
	sd_event_source_disable_unref(tagger->names.timer);
	sd_event_source_disable_unref(tagger->moves.timer);
	sd_event_source_disable_unref(tagger->requests);
	for (int i = 0; i < INTAKE_QUEUES; i++)
		pace_close(&tagger->paces[i]);
}
