/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/text.h>

/* A new class should not wait longer, but reading names should take no more than 2 % of a CPU's time. */
#define PAUSE_MIN_US   150000
#define PAUSE_PER_READ 50

static void report(struct tagger *tagger, int error)
{
	problem_report(&tagger->problems[PROBLEM_RECEIVE], "listening to renames: %s", strerror(-error));
}

static void pause_names(struct tagger *tagger)
{
	struct names *names = &tagger->names;
	const uint64_t us = names->reading_us * PAUSE_PER_READ;
	int r;

	queue_close(tagger, INTAKE_NAMES);
	names->is_paused = true;
	r = sd_event_source_set_time_relative(names->timer, us > PAUSE_MIN_US ? us : PAUSE_MIN_US);
	if (r >= 0)
		r = sd_event_source_set_enabled(names->timer, SD_EVENT_ONESHOT);
	if (r < 0)
		report(tagger, r);
}

static void subscribe(struct tagger *tagger)
{
	int r = queue_open(tagger, INTAKE_NAMES);

	if (r < 0) {
		report(tagger, r);
		pause_names(tagger);
	}
}

void names_update(struct tagger *tagger)
{
	if (!plan_needs_renames(tagger->plan))
		names_close(tagger);
	else if (!tagger->paces[INTAKE_NAMES].source && !tagger->names.is_paused)
		subscribe(tagger);
}

void names_close(struct tagger *tagger)
{
	sd_event_source_set_enabled(tagger->names.timer, SD_EVENT_OFF);
	tagger->names.is_paused = tagger->names.flood.is_on = false;
	queue_close(tagger, INTAKE_NAMES);
}

void names_resume(struct tagger *tagger)
{
	tagger->names.is_paused = false;
	subscribe(tagger);
}

void names_read(struct tagger *tagger)
{
	/* CPU time, not elapsed time: a suspend in between would make the next pause last for minutes. */
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const struct tasks *tasks = plan_tasks(tagger->plan);
	struct task_event event = { .what = EVENT_RENAME };
	const struct task *task;
	uint32_t cursor = 0;

	while ((task = tasks_next(tasks, &cursor))) {
		if (!plan_has_thread_rules(tagger->plan, tasks_leader(tasks, task->tgid)))
			continue;
		event.tid = task->tid;
		event.tgid = task->tgid;
		event.ms = clock_ms();
		if (procfs_comm(tagger->proc, task->tid, event.comm) == 0)
			plan_book(tagger->plan, &event);
	}
	tagger->names.reading_us = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) / 1000;
}

void names_check(struct tagger *tagger)
{
	struct flood *flood = &tagger->names.flood;
	char comm[TASK_COMM_LEN] = "", name[TASK_COMM_LEN * 4], whose[TASK_COMM_LEN * 4 + 64] = "";

	if (!flood->is_on)
		return;
	flood->is_on = false;
	tagger->counters.rename_floods++;
	if (flood->tgid && procfs_comm(tagger->proc, flood->tgid, comm) == 0)
		snprintf(whose, sizeof(whose), ", the last of process %d (%s)", (int)flood->tgid,
			 text_escape_to(name, sizeof(name), comm, strlen(comm)));
	problem_report(&tagger->problems[PROBLEM_RENAMES],
		       "more than %d renames a second%s: while that lasts, the names that rules ask for are read from time to "
		       "time",
		       FLOOD_RATE, whose);
	pause_names(tagger);
}
