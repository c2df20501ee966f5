/* SPDX-License-Identifier: GPL-2.0-only */
/* The loop that waits for the queues of events and for the owner's event loop, with its requests and timers. */
#include "parts.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

#include "pace.h"

/* Sets the timer if anything is to be done later. */
static void set_timer(struct tagger *tagger)
{
	uint32_t at_ms, work_ms;
	bool is_set = decider_next(&tagger->decider, &at_ms);

	if (later_next(&tagger->later, &work_ms) && (!is_set || is_before(work_ms, at_ms))) {
		at_ms = work_ms;
		is_set = true;
	}
	/* A timer that is set for an earlier time stays, because most of the later work becomes needless before it. */
	if (is_set && (!tagger->timer_is_set || is_before(at_ms, tagger->timer_ms))) {
		const int32_t in_ms = (int32_t)(at_ms - clock_ms());

		sd_event_source_set_time_relative(tagger->timer, in_ms > 0 ? (uint64_t)in_ms * 1000 : 0);
		sd_event_source_set_enabled(tagger->timer, SD_EVENT_ONESHOT);
		tagger->timer_ms = at_ms;
		tagger->later.owner_is_stale = true;
	} else if (!is_set && tagger->timer_is_set) {
		sd_event_source_set_enabled(tagger->timer, SD_EVENT_OFF);
	}
	tagger->timer_is_set = is_set;
}

/* ---- shortages ---- */

/* Time until a scan repeats what a shortage prevented; a scan of 1,000 tasks takes 10 ms. */
#define RETRY_AFTER_MS 1000

static void check_shortage(struct tagger *tagger)
{
	const int error = scan_shortage(tagger);

	if (!error)
		return;
	problem_report(&tagger->tally.problems[PROBLEM_SHORTAGE], "%s%s: tasks had to wait, or still do",
		       strerror(-error), error == -ENOMEM ? ", or no room in " STATE_FOLDER : "");
	if (!later_is_set(&tagger->later, LATER_SCAN))
		later_do(&tagger->later, LATER_SCAN, RETRY_AFTER_MS);
}

/* ---- handling ---- */

/*
 * Handles queued events, and then work that needs an empty queue.
 *
 * A scan after a loss needs one: once the kernel has dropped an event, it drops all further ones without reporting it,
 * until the queue has been empty (netlink_overrun in af_netlink.c). So the result of an earlier scan could go out of
 * date unnoticed.
 *
 * Removing records of ended tasks needs one: there may be queued forks of an ended task, whose children inherit its
 * record. Only if there are very many records are they removed earlier.
 */
static void handle_all(struct tagger *tagger)
{
	bool is_empty;

	is_empty = decider_handle(&tagger->decider);
	accounting_follow(&tagger->accounting);
	heard_check(&tagger->heard);
	check_shortage(tagger);
	if (is_empty && tagger->decider.events_lost)
		scan_all(tagger);
	if (tasks_count(plan_tasks(tagger->decider.plan)) > (is_empty ? 1 : 2) * tagger->sweep_at)
		scan_sweep(tagger);
	/* Accounting and a sweep book events, too. */
	if (!is_empty || tagger->decider.events_lost || plan_has_next(tagger->decider.plan))
		later_wake(&tagger->later);
	set_timer(tagger);
}

static int on_wake(sd_event_source *source, void *userdata)
{
	(void)source;
	handle_all(userdata);
	return 0;
}

static int on_tagger_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)usec;
	tagger->timer_is_set = false;
	if (tagger->later.works)
		decider_book(&tagger->decider);
	heard_due(&tagger->heard);
	decider_retry(&tagger->decider);
	if (later_take(&tagger->later, LATER_SCAN))
		scan_all(tagger);
	handle_all(tagger);
	return 0;
}

int loop_init(struct tagger *tagger)
{
	struct epoll_event event = { .events = EPOLLIN };
	int r = sd_event_add_defer(tagger->event, &tagger->later.wake, on_wake, tagger);

	if (r >= 0)
		r = sd_event_source_set_enabled(tagger->later.wake, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time(tagger->event, &tagger->timer, CLOCK_MONOTONIC, 0, 1000, on_tagger_timer, tagger);
	if (r >= 0)
		r = sd_event_source_set_enabled(tagger->timer, SD_EVENT_OFF);
	if (r < 0)
		return r;
	tagger->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (tagger->epoll < 0 || epoll_ctl(tagger->epoll, EPOLL_CTL_ADD, sd_event_get_fd(tagger->event), &event) < 0)
		return -errno;
	return 0;
}

int loop_listen(struct tagger *tagger)
{
	int r = intake_open(tagger->epoll, &tagger->tally.counters, &tagger->intake);

	tagger->decider.intake = tagger->intake;
	tagger->heard = (struct heard){
		.decider = &tagger->decider,
		.intake = tagger->intake,
		.later = &tagger->later,
		.epoll = tagger->epoll,
	};
	return r;
}

void loop_free(struct tagger *tagger)
{
	sd_event_source_disable_unref(tagger->timer);
	tagger->later.wake = sd_event_source_disable_unref(tagger->later.wake);
	intake_close(tagger->intake);
	cleanup_close(&tagger->epoll);
}

/* ---- the loop ---- */

/* The queues, changes, and the owner's event loop. */
#define READY_MAX (INTAKE_READY_MAX + 2)

/* Returns whether a pace was reported, rather than changes or the owner's event loop. */
static bool is_pace(const struct tagger *tagger, const struct epoll_event *ready)
{
	return ready->data.ptr && ready->data.ptr != &tagger->heard;
}

/* Handles events if the pace of a queue says so. Returns whether the owner's event loop is ready. */
static bool handle_ready(struct tagger *tagger, const struct epoll_event *ready, int n)
{
	bool owner_is_ready = false, reads = false;

	for (int i = 0; i < n; i++) {
		owner_is_ready |= !ready[i].data.ptr;
		if (ready[i].data.ptr == &tagger->heard)
			heard_changes(&tagger->heard);
		else if (is_pace(tagger, &ready[i]))
			reads |= pace_begin(ready[i].data.ptr);
	}
	if (reads)
		handle_all(tagger);
	for (int i = 0; i < n; i++) {
		if (is_pace(tagger, &ready[i]))
			pace_end(ready[i].data.ptr, intake_read_until_us(tagger->intake));
	}
	return owner_is_ready;
}

/* Handles queues until the owner's event loop, which has been prepared, has something to do. Returns 0 or -errno. */
static int wait_for_owner(struct tagger *tagger)
{
	struct epoll_event ready[READY_MAX];
	bool is_ready = false;

	tagger->later.owner_is_stale = false;
	while (!is_ready && !tagger->later.owner_is_stale && !tagger->decider.receive_error) {
		const int n = epoll_wait(tagger->epoll, ready, READY_MAX, -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		is_ready = handle_ready(tagger, ready, n);
	}
	return tagger->decider.receive_error;
}

/*
 * For each wake-up sd-event reads three clocks, and it wakes up for each descriptor. With many events of tasks, that
 * costs more than handling them, so such events bypass sd-event.
 */
int tagger_loop(struct tagger *tagger)
{
	int r = 0;

	while (r >= 0 && sd_event_get_state(tagger->event) != SD_EVENT_FINISHED) {
		r = sd_event_prepare(tagger->event);
		if (r == 0)
			r = wait_for_owner(tagger);
		if (r == 0)
			r = sd_event_wait(tagger->event, 0);
		if (r > 0)
			r = sd_event_dispatch(tagger->event);
	}
	return r;
}
