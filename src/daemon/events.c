/* SPDX-License-Identifier: GPL-2.0-only */
/* From the kernel's word to the action: receive, decide, apply, count. */
#include "daemon_private.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "watch.h"

/* Under a storm, other sources (bus, signals) get their turn after this many events. */
#define ROUND_MAX 4096

/* So many events are booked before those who are due by then are decided about. */
#define BOOK_MAX 512

/*
 * A storm that outruns us would keep a drain from ever ending. In this time we handle twice what the buffers hold.
 */
#define DRAIN_MAX_MS 100

/* In less time no id comes to be another task's. */
#define REUSE_MIN_MS 10

/* What a batch of datagrams without an event counts as: they cost less than events, but not nothing. */
#define NOISE_EVENTS 32

static void update_boot_clock(struct daemon *daemon)
{
	const uint64_t boottime = clock_ns(CLOCK_BOOTTIME);

	boot_clock_update(&daemon->boot_clock, boottime, clock_ns(CLOCK_MONOTONIC));
}

/*
 * When the task of a fork was born, in ticks. Of one that may have been before a suspend or after it /proc tells, if it
 * still can; one that starts no later than that event before the suspend is the one.
 */
static uint32_t start_of(const struct daemon *daemon, const struct task_event *fork)
{
	const uint32_t start = (uint32_t)(boot_clock_at(&daemon->boot_clock, fork->ns) / daemon->tick_ns);
	const uint32_t then = (uint32_t)(boot_clock_then(&daemon->boot_clock, fork->ns) / daemon->tick_ns);
	struct procfs_stat stat;

	if (start == then || procfs_thread_stat(daemon->proc, fork->tgid, fork->tid, &stat) < 0)
		return start;
	return (int32_t)((uint32_t)stat.start - then) <= 0 ? then : start;
}

struct facts *daemon_facts(struct daemon *daemon, pid_t tid, pid_t tgid)
{
	return live_facts_for(daemon->facts, tid, tgid);
}

/* Names a tag for people: its class. */
static const char *tag_name(const struct daemon *daemon, uint16_t tag)
{
	size_t count;
	const struct tag *tags = rules_tags(daemon->config->rules, &count);

	return tag < count ? daemon->config->classes[tags[tag].qos_class].name : "back";
}

static void log_tag(struct daemon *daemon, const struct plan_action *action)
{
	char comm[TASK_COMM_LEN] = "", name[TASK_COMM_LEN * 4], attr[TASK_ATTR_TEXT_MAX];

	if (!log_enabled(LOG_DEBUG))
		return;
	procfs_comm(daemon->proc, action->tid, comm);
	text_escape_to(name, sizeof(name), comm, strlen(comm));
	log_debug("%d %s: %s (%s): %s", (int)action->tid, name, tag_name(daemon, action->tag),
		  reason_name(action->reason), task_attr_text(&action->want, attr));
}

static void report_refusal(struct daemon *daemon, const struct plan_action *action, int error)
{
	char attr[TASK_ATTR_TEXT_MAX];
	int number = -error;

	daemon->stats.refused[number < STATS_ERRNO_MAX ? number : STATS_ERRNO_MAX]++;
	problem_report(&daemon->problems[PROBLEM_REFUSED], "the kernel refuses %s for task %d: %s",
		       task_attr_text(&action->want, attr), (int)action->tid, strerror(number));
}

static void report_not_kept(struct daemon *daemon, const struct plan_action *action,
			    const struct task_attr *now)
{
	char want[TASK_ATTR_TEXT_MAX], got[TASK_ATTR_TEXT_MAX];

	daemon->stats.not_kept++;
	problem_report(&daemon->problems[PROBLEM_NOT_KEPT], "the kernel accepted %s for task %d but keeps %s",
		       task_attr_text(&action->want, want), (int)action->tid, task_attr_text(now, got));
}

/*
 * Whether a task was set in another's stead, which had its id when we began to look. Two CPUs take 0.5 s for the 32,768
 * ids that there are where nobody has lowered their number (6.18): so only who was kept from it need ask.
 */
static bool was_another(const struct daemon *daemon, const struct plan_action *action, uint32_t ms)
{
	struct procfs_stat stat;

	return ms - daemon->facts->began_ms > REUSE_MIN_MS &&
	       procfs_stat(daemon->proc, action->tid, &stat) == 0 &&
	       plan_is_another(daemon->plan, action->tid, stat.start);
}

void events_act(struct daemon *daemon, const struct plan_action *action)
{
	struct task_attr now = task_attr_pristine;
	int r = applier_apply(&daemon->applier, action, &now);
	const uint32_t ms = clock_ms();

	if (r == 0 && was_another(daemon, action, ms))
		r = -ESTALE;
	switch (plan_applied(daemon->plan, action, r, &now, ms)) {
	case PLAN_KEPT:
		daemon->stats.set++;
		log_tag(daemon, action);
		break;
	case PLAN_CHANGED:
	case PLAN_GONE:
		daemon->stats.races++;
		break;
	case PLAN_NOT_KEPT:
		report_not_kept(daemon, action, &now);
		break;
	case PLAN_REFUSED:
		report_refusal(daemon, action, r);
		break;
	}
}

/* Keeps the books by an event. */
static void book(struct daemon *daemon, struct task_event *event)
{
	switch (event->what) {
	case EVENT_FORK:
		event->start = start_of(daemon, event);
		daemon->stats.forks++;
		break;
	case EVENT_EXEC:
		daemon->stats.execs++;
		break;
	case EVENT_RENAME:
		names_count(daemon, event->tgid, event->ms);
		break;
	}
	plan_hear(daemon->plan, event);
}

/* Decides about those who are due; about those of late events only if it is time. */
static void decide(struct daemon *daemon, bool is_time)
{
	struct plan_action action;
	struct plan_due due;

	while (plan_next(daemon->plan, is_time, clock_ms(), &due)) {
		const struct task *task = tasks_find(plan_tasks(daemon->plan), due.tid);

		if (task && task->due == DUE_EXEC)
			arguments_exec(&daemon->arguments, due.tgid);
		if (plan_decide(daemon->plan, &due, daemon_facts(daemon, due.tid, due.tgid), &action))
			events_act(daemon, &action);
		arguments_decided(daemon, due.tgid);
	}
	watch_rest();
}

static void report_loss(struct daemon *daemon)
{
	daemon->stats.lost++;
	daemon->rescan = true;
	problem_report(&daemon->problems[PROBLEM_LOST],
		       "the kernel dropped events: scanning every task again");
}

/* Books up to max events. Returns whether nothing was left. */
static bool book_up_to(struct daemon *daemon, int max)
{
	struct task_event event;
	int error;

	update_boot_clock(daemon);
	for (int i = 0; i < max; i++) {
		switch (intake_next(daemon->intake, &event, &error)) {
		case INTAKE_EVENT:
			book(daemon, &event);
			break;
		case INTAKE_EMPTY:
			return true;
		case INTAKE_NOISE:
			i += NOISE_EVENTS;
			break;
		case INTAKE_LOST:
			report_loss(daemon);
			break;
		case INTAKE_LOST_NAMES:
			names_lost(daemon);
			break;
		case INTAKE_ERROR:
			daemon->stats.receive_errors++;
			daemon->rescan = true;
			problem_report(&daemon->problems[PROBLEM_RECEIVE], "receiving events: %s",
				       strerror(error));
			return true;
		}
	}
	return false;
}

/* Books what is queued, up to max events, and decides about who is due. Returns whether nothing was left. */
static bool handle_up_to(struct daemon *daemon, int max)
{
	bool is_empty = false;

	for (int i = 0; i < max && !is_empty; i += BOOK_MAX) {
		is_empty = book_up_to(daemon, BOOK_MAX);
		decide(daemon, is_empty);
	}
	return is_empty;
}

bool events_book(struct daemon *daemon)
{
	const uint32_t began = clock_ms();

	/* Who restores does not listen. */
	while (daemon->intake && !book_up_to(daemon, BOOK_MAX)) {
		if (clock_ms() - began > DRAIN_MAX_MS)
			return false;
	}
	return true;
}

bool events_drain(struct daemon *daemon)
{
	const uint32_t began = clock_ms();

	if (!daemon->intake) {
		decide(daemon, true);
		return true;
	}
	while (!handle_up_to(daemon, ROUND_MAX)) {
		if (clock_ms() - began > DRAIN_MAX_MS)
			return false;
	}
	return true;
}

/*
 * Once it has dropped an event, the kernel drops all, and tells no more of it, until the queue has been empty
 * (netlink_overrun in af_netlink.c): what a scan finds before that may be old before the next loss is told.
 */
static void repair_losses(struct daemon *daemon, bool is_empty)
{
	if (!daemon->rescan)
		return;
	scan_all(daemon);
	if (!is_empty)
		daemon->rescan = true;
}

void events_handle(struct daemon *daemon)
{
	bool is_empty = handle_up_to(daemon, ROUND_MAX);

	shortage_check(daemon);
	keep_check(daemon);
	if (plan_is_time(daemon->plan, is_empty, clock_ms())) {
		decide(daemon, true);
		repair_losses(daemon, is_empty);
		/* Not before: of a task that has ended, forks may still be queued, whose children inherit from it. */
		if (tasks_count(plan_tasks(daemon->plan)) > daemon->sweep_at)
			scan_sweep(daemon);
	}
	if (!is_empty || daemon->rescan)
		events_again(daemon);
}

void events_again(struct daemon *daemon)
{
	sd_event_source_set_enabled(daemon->again_source, SD_EVENT_ONESHOT);
}

static int on_again(sd_event_source *source, void *userdata)
{
	(void)source;
	events_handle(userdata);
	return 0;
}

static int on_exec(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	events_handle(userdata);
	return 0;
}

static void read_forks(void *context)
{
	events_handle(context);
}

int events_init(struct daemon *daemon)
{
	int r = sd_event_add_io(daemon->event, NULL, intake_fd(daemon->intake, INTAKE_EXECS), EPOLLIN, on_exec, daemon);

	if (r >= 0)
		r = sd_event_add_defer(daemon->event, &daemon->again_source, on_again, daemon);
	if (r >= 0)
		r = sd_event_source_set_enabled(daemon->again_source, SD_EVENT_OFF);
	if (r < 0)
		return r;
	return pace_open(&daemon->forks, daemon->event, intake_fd(daemon->intake, INTAKE_FORKS), &daemon->stats.forks,
			 read_forks, daemon);
}
