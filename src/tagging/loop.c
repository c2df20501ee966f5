/* SPDX-License-Identifier: GPL-2.0-only */
/* The loop that waits for the queues of events and for the owner's event loop, with its requests and timers. */
#include "tagger_private.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

/* Sets the timer if anything is to be done later. */
static void set_timer(struct tagger *tagger)
{
	uint32_t at_ms;
	bool is_set = arguments_next(&tagger->arguments, &at_ms);
	uint32_t spared_ms;

	if (unread_next(&tagger->spending.spared, &spared_ms) && (!is_set || is_before(spared_ms, at_ms))) {
		at_ms = spared_ms;
		is_set = true;
	}
	for (int i = 0; i < LATER_KINDS; i++) {
		if (is_later(tagger, i) && (!is_set || is_before(tagger->later_ms[i], at_ms))) {
			at_ms = tagger->later_ms[i];
			is_set = true;
		}
	}
	if (is_set && !(tagger->timer_is_set && tagger->timer_ms == at_ms)) {
		const int32_t in_ms = (int32_t)(at_ms - clock_ms());

		sd_event_source_set_time_relative(tagger->timer, in_ms > 0 ? (uint64_t)in_ms * 1000 : 0);
		sd_event_source_set_enabled(tagger->timer, SD_EVENT_ONESHOT);
		tagger->timer_ms = at_ms;
		tagger->event_is_stale = true;
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
	problem_report(&tagger->problems[PROBLEM_SHORTAGE], "%s%s: tasks had to wait, or still do", strerror(-error),
		       error == -ENOMEM ? ", or no room in " STATE_FOLDER : "");
	if (!is_later(tagger, LATER_SCAN))
		do_later(tagger, LATER_SCAN, RETRY_AFTER_MS);
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

	is_empty = events_handle(tagger);
	accounting_follow(tagger);
	heard_check(tagger);
	check_shortage(tagger);
	if (is_empty && tagger->events_lost)
		scan_all(tagger);
	if (tasks_count(plan_tasks(tagger->plan)) > (is_empty ? 1 : 2) * tagger->sweep_at)
		scan_sweep(tagger);
	if (!is_empty || tagger->events_lost)
		tagger_wake(tagger);
	set_timer(tagger);
}

static int on_request(sd_event_source *source, void *userdata)
{
	(void)source;
	handle_all(userdata);
	return 0;
}

/* Has a process matched again that could not be read before. Books a move for that, which marks the same. */
static void book_retry(struct tagger *tagger, struct unread *unread)
{
	struct task_event event = { .what = EVENT_MOVE, .ms = clock_ms() };

	event.tid = event.tgid = unread_retry(unread, event.ms);
	if (!event.tid)
		return;
	if (tasks_find(plan_tasks(tagger->plan), event.tid))
		plan_book(tagger->plan, &event);
	else
		unread_forget(unread, event.tid);
}

static int on_tagger_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)usec;
	tagger->timer_is_set = false;
	if (tagger->later)
		events_book(tagger);
	heard_due(tagger);
	book_retry(tagger, &tagger->arguments.unread);
	book_retry(tagger, &tagger->spending.spared);
	if (is_due(tagger, LATER_SCAN))
		scan_all(tagger);
	handle_all(tagger);
	return 0;
}

int loop_init(struct tagger *tagger)
{
	/*
	 * From 800 execs a second on, two share a wake-up and a question to the helper, which saves two thirds of their
	 * cost.
	 */
	static const struct pace_limits exec_limits = { .many = 8, .share = 2, .longest_us = 2000 };
	/*
	 * Forks can wait, because a child is born with the right attributes. But an exec waits until the forks before
	 * it are booked, at 1 us each. From the second one in 10 ms on they wake us only every 20 ms: where programs
	 * start one after the other, each exec brings the forks before it with it, in one wake-up in place of two.
	 */
	static const struct pace_limits fork_limits = { .many = 1, .share = 32, .longest_us = 20000 };
	/*
	 * Renames and moves: a program names its threads one after the other when it starts, and each waits for its
	 * class. A CPU's ring has room for only 32 moves with long paths, but to fill it costs more than the sweep that
	 * follows.
	 */
	static const struct pace_limits other_limits = { .many = 16, .share = 16, .longest_us = 10000 };
	struct epoll_event event = { .events = EPOLLIN };
	int r = sd_event_add_defer(tagger->event, &tagger->requests, on_request, tagger);

	if (r >= 0)
		r = sd_event_source_set_enabled(tagger->requests, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time(tagger->event, &tagger->timer, CLOCK_MONOTONIC, 0, 1000, on_tagger_timer, tagger);
	if (r >= 0)
		r = sd_event_source_set_enabled(tagger->timer, SD_EVENT_OFF);
	if (r < 0)
		return r;
	pace_init(&tagger->paces[INTAKE_EXECS], &tagger->counters.execs, exec_limits);
	pace_init(&tagger->paces[INTAKE_FORKS], &tagger->counters.forks, fork_limits);
	pace_init(&tagger->paces[INTAKE_NAMES], &tagger->counters.renames, other_limits);
	pace_init(&tagger->paces[INTAKE_MOVES], &tagger->counters.moves, other_limits);
	tagger->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (tagger->epoll < 0 || epoll_ctl(tagger->epoll, EPOLL_CTL_ADD, sd_event_get_fd(tagger->event), &event) < 0)
		return -errno;
	return 0;
}

void loop_free(struct tagger *tagger)
{
	sd_event_source_disable_unref(tagger->timer);
	sd_event_source_disable_unref(tagger->requests);
	for (int i = 0; i < INTAKE_QUEUES; i++)
		pace_close(&tagger->paces[i]);
	cleanup_close(&tagger->epoll);
}

/* ---- the loop ---- */

/* The queues, each with its descriptor and its timer, and the owner's event loop. */
#define READY_MAX (2 * INTAKE_QUEUES + 1)

/* Reads the queues if any of these paces says so. Returns whether the owner's event loop is ready. */
static bool handle_ready(struct tagger *tagger, const struct epoll_event *ready, int n)
{
	bool is_event = false, reads = false;

	for (int i = 0; i < n; i++) {
		is_event |= !ready[i].data.ptr;
		reads |= ready[i].data.ptr && pace_begin(ready[i].data.ptr);
	}
	if (reads)
		handle_all(tagger);
	for (int i = 0; i < n; i++) {
		if (ready[i].data.ptr)
			pace_end(ready[i].data.ptr, intake_read_until_us(tagger->intake));
	}
	return is_event;
}

/* Handles queues until the owner's event loop, which has been prepared, has something to do. Returns 0 or -errno. */
static int wait_for_event(struct tagger *tagger)
{
	struct epoll_event ready[READY_MAX];
	bool is_ready = false;

	tagger->event_is_stale = false;
	while (!is_ready && !tagger->event_is_stale) {
		const int n = epoll_wait(tagger->epoll, ready, READY_MAX, -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		is_ready = handle_ready(tagger, ready, n);
	}
	return 0;
}

/*
 * For each wake-up sd-event reads three clocks, and it wakes up for each descriptor. With many events of tasks that
 * costs more than to handle them, so these pass it by.
 */
int tagger_loop(struct tagger *tagger)
{
	int r = 0;

	while (r >= 0 && sd_event_get_state(tagger->event) != SD_EVENT_FINISHED) {
		r = sd_event_prepare(tagger->event);
		if (r == 0)
			r = wait_for_event(tagger);
		if (r == 0)
			r = sd_event_wait(tagger->event, 0);
		if (r > 0)
			r = sd_event_dispatch(tagger->event);
	}
	return r;
}
