/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon_private.h"

#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/text.h>

/* Nobody's new class is to wait longer; but reading names is to take no more than a fiftieth of the time. */
#define UNHEARD_MIN_US	 150000
#define UNHEARD_PER_READ 50

/* Renames that were not heard are booked by what the names are now. */
static void read_names(struct daemon *daemon)
{
	struct task_event event = { .what = EVENT_RENAME };
	const struct task *task;
	uint32_t cursor = 0;

	while ((task = plan_next_named(daemon->plan, &cursor))) {
		event.tid = task->tid;
		event.tgid = task->tgid;
		event.ms = clock_ms();
		if (procfs_comm(daemon->proc, task->tid, event.comm) == 0)
			plan_hear(daemon->plan, &event);
	}
}

static void read_queue(void *context)
{
	events_handle(context);
}

static int open_queue(struct daemon *daemon)
{
	int r = intake_hear_names(daemon->intake, true);

	if (r == 0)
		r = pace_open(&daemon->names.pace, daemon->event, intake_fd(daemon->intake, INTAKE_NAMES),
			      &daemon->stats.renames, read_queue, daemon);
	if (r < 0)
		intake_hear_names(daemon->intake, false);
	return r;
}

static void close_queue(struct daemon *daemon)
{
	pace_close(&daemon->names.pace);
	intake_hear_names(daemon->intake, false);
}

static void leave_unheard(struct daemon *daemon);

/* Listens before reading, so that no name falls between. */
static int on_unheard(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *daemon = userdata;
	const uint64_t began = clock_ns(CLOCK_MONOTONIC);
	int r = open_queue(daemon);

	(void)source;
	(void)usec;
	daemon->names.is_unheard = false;
	if (r < 0) {
		problem_report(&daemon->problems[PROBLEM_RECEIVE], "listening to renames: %s", strerror(-r));
		leave_unheard(daemon);
	}
	events_book(daemon);
	read_names(daemon);
	daemon->names.reading_us = (clock_ns(CLOCK_MONOTONIC) - began) / 1000;
	events_handle(daemon);
	return 0;
}

static void leave_unheard(struct daemon *daemon)
{
	struct names *names = &daemon->names;
	const uint64_t us = names->reading_us * UNHEARD_PER_READ;
	int r = 0;

	close_queue(daemon);
	names->is_unheard = true;
	if (!names->timer)
		r = sd_event_add_time(daemon->event, &names->timer, CLOCK_MONOTONIC, 0, 1, on_unheard, daemon);
	if (r >= 0)
		r = sd_event_source_set_time_relative(names->timer, us > UNHEARD_MIN_US ? us : UNHEARD_MIN_US);
	if (r >= 0)
		r = sd_event_source_set_enabled(names->timer, SD_EVENT_ONESHOT);
	if (r < 0)
		problem_report(&daemon->problems[PROBLEM_RECEIVE], "listening to renames: %s", strerror(-r));
}

void names_follow(struct daemon *daemon)
{
	const bool wanted = plan_asks_names(daemon->plan);
	int r = 0;

	if (!wanted)
		names_close(daemon);
	else if (!daemon->names.pace.source && !daemon->names.is_unheard)
		r = open_queue(daemon);
	if (r < 0) {
		problem_report(&daemon->problems[PROBLEM_RECEIVE], "listening to renames: %s", strerror(-r));
		leave_unheard(daemon);
	}
}

void names_close(struct daemon *daemon)
{
	daemon->names.timer = sd_event_source_disable_unref(daemon->names.timer);
	daemon->names.is_unheard = false;
	if (daemon->intake)
		close_queue(daemon);
}

void names_count(struct daemon *daemon, pid_t tgid, uint32_t ms)
{
	const struct rename_flood *flood = &daemon->names.flood;
	char comm[TASK_COMM_LEN] = "", name[TASK_COMM_LEN * 4];

	daemon->stats.renames++;
	if (!rename_flood_count(&daemon->names.flood, tgid, ms))
		return;
	daemon->stats.rename_floods++;
	procfs_comm(daemon->proc, flood->tgid, comm);
	text_escape_to(name, sizeof(name), comm, strlen(comm));
	problem_report(&daemon->problems[PROBLEM_RENAMES],
		       "more than %d renames a second, most of them of process %d (%s): while that lasts, "
		       "the names that rules ask for are read from time to time",
		       RENAME_FLOOD_RATE, (int)flood->tgid, name);
	leave_unheard(daemon);
}

void names_lost(struct daemon *daemon)
{
	daemon->stats.rename_floods++;
	problem_report(&daemon->problems[PROBLEM_RENAMES],
		       "so many renames at once that the kernel dropped some: while that lasts, "
		       "the names that rules ask for are read from time to time");
	leave_unheard(daemon);
}
