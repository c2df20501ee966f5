/* SPDX-License-Identifier: GPL-2.0-only */
/* The tagger's event sources: queues of events, requests, and timers. */
#include "tagger_private.h"

#include <sys/epoll.h>

#include <schedqos/util/clock.h>

/*
 * Once it has dropped an event, the kernel drops all, without reporting it again, until the queue has been empty
 * (netlink_overrun in af_netlink.c). So what a scan finds before that may go out of date unnoticed.
 */
static void repair_losses(struct tagger *tagger, bool is_empty)
{
	if (!tagger->events_lost)
		return;
	scan_all(tagger);
	if (!is_empty)
		tagger->events_lost = true;
}

/* Handles what is queued, and then what has to wait for an empty queue. */
static void handle(struct tagger *tagger)
{
	bool is_empty = events_handle(tagger);

	shortage_check(tagger);
	keep_check(tagger);
	if (plan_is_time(tagger->plan, is_empty, clock_ms())) {
		/* With an empty queue, events_handle has done this. */
		if (!is_empty) {
			plan_look_again(tagger->plan, clock_ms());
			decide_due(tagger, true);
		}
		repair_losses(tagger, is_empty);
		/* Not earlier: forks of an ended task may still be queued, whose children inherit from it. */
		if (tasks_count(plan_tasks(tagger->plan)) > tagger->sweep_at)
			scan_sweep(tagger);
	}
	if (!is_empty || tagger->events_lost)
		tagger_wake(tagger);
}

static void scan_as_requested(struct tagger *tagger)
{
	tagger->scan_requested = false;
	scan_all(tagger);
	shortage_scanned(tagger);
	if (tagger->scanned)
		tagger->scanned(tagger->context);
}

static int on_request(sd_event_source *source, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	if (tagger->scan_requested)
		scan_as_requested(tagger);
	if (tagger->intake)
		handle(tagger);
	return 0;
}

static int on_exec(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	handle(userdata);
	return 0;
}

/* Forks, renames, moves or changes. */
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

static int on_changes_due(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)usec;
	changes_resume(tagger);
	handle(tagger);
	return 0;
}

static int on_truces_due(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)usec;
	events_book(tagger);
	changes_end_truces(tagger);
	handle(tagger);
	return 0;
}

static int on_unread_due(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	scan_unread(userdata);
	return 0;
}

static int on_shortage_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	request_scan(userdata);
	return 0;
}

static int on_keep_retry(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	keep_retry(userdata);
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
	int r = sd_event_add_defer(tagger->event, &tagger->requests, on_request, tagger);

	if (r >= 0)
		r = sd_event_source_set_enabled(tagger->requests, SD_EVENT_OFF);
	if (r >= 0)
		r = add_timer(tagger, &tagger->names.timer, 1, on_names_due);
	if (r >= 0)
		r = add_timer(tagger, &tagger->moves.timer, 10000, on_moves_due);
	if (r >= 0)
		r = add_timer(tagger, &tagger->changes.pause, 1, on_changes_due);
	if (r >= 0)
		r = add_timer(tagger, &tagger->changes.truces, 10000, on_truces_due);
	if (r >= 0)
		r = add_timer(tagger, &tagger->arguments.timer, 1000, on_unread_due);
	if (r >= 0)
		r = add_timer(tagger, &tagger->shortage.timer, 0, on_shortage_over);
	if (r >= 0)
		r = add_timer(tagger, &tagger->keep.timer, KEEP_RETRY_MIN_US / 4, on_keep_retry);
	pace_init(&tagger->forks, &tagger->counters.forks, 0, on_paced, tagger);
	/* A program's threads are named one after the other when it starts, and each waits for its class. */
	pace_init(&tagger->names.pace, &tagger->counters.renames, 16, on_paced, tagger);
	pace_init(&tagger->moves.pace, &tagger->counters.moves, 16, on_paced, tagger);
	pace_init(&tagger->changes.pace, &tagger->counters.changes, 16, on_paced, tagger);
	return r;
}

int loop_listen(struct tagger *tagger)
{
	int r = sd_event_add_io(tagger->event, &tagger->execs, intake_fd(tagger->intake, INTAKE_EXECS), EPOLLIN, on_exec,
				tagger);

	return r < 0 ? r : pace_open(&tagger->forks, tagger->event, intake_fd(tagger->intake, INTAKE_FORKS));
}

void loop_free(struct tagger *tagger)
{
	sd_event_source_disable_unref(tagger->keep.timer);
	sd_event_source_disable_unref(tagger->shortage.timer);
	sd_event_source_disable_unref(tagger->arguments.timer);
	sd_event_source_disable_unref(tagger->names.timer);
	sd_event_source_disable_unref(tagger->moves.timer);
	sd_event_source_disable_unref(tagger->changes.pause);
	sd_event_source_disable_unref(tagger->changes.truces);
	sd_event_source_disable_unref(tagger->requests);
	sd_event_source_disable_unref(tagger->execs);
	pace_close(&tagger->moves.pace);
	pace_close(&tagger->changes.pace);
	pace_close(&tagger->names.pace);
	pace_close(&tagger->forks);
}
