/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/trace.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#define SECOND_US 1000000

/* In a second without a pause. One takes some 0.2 ms with 10,000 tasks of which rules enforce 100. */
#define LOOKS_MAX 16

/* More than the rings hold: whoever fills them can go on doing so. */
#define CALLS_MAX 16384

/* ---- looking ---- */

static uint64_t now_us(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000;
}

static void pause_for_a_second(struct changes *changes)
{
	sd_event_source_set_enabled(changes->heard, SD_EVENT_OFF);
	sd_event_source_set_time_relative(changes->timer, SECOND_US);
	sd_event_source_set_enabled(changes->timer, SD_EVENT_ONESHOT);
}

/* Takes note of who has called. Lost calls do not matter: every task is looked at. */
static void drain(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	struct trace_event event;

	changes->caller = 0;
	changes->are_several = false;
	for (int i = 0; changes->trace && i < CALLS_MAX && trace_next(changes->trace, &event) != 0; i++) {
		changes->are_several |= changes->caller && changes->caller != event.tid;
		changes->caller = event.tid;
		tagger->counters.changes++;
	}
}

static void look(struct tagger *tagger)
{
	drain(tagger);
	plan_look_at_enforced(tagger->plan);
	tagger_wake(tagger);
}

static int on_call(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct tagger *tagger = userdata;
	struct changes *changes = &tagger->changes;
	const uint64_t now = now_us();

	(void)source;
	(void)fd;
	(void)revents;
	if (now - changes->since_us > SECOND_US) {
		changes->since_us = now;
		changes->looks = 0;
	}
	look(tagger);
	if (++changes->looks >= LOOKS_MAX)
		pause_for_a_second(changes);
	return 0;
}

/* What has been put back again starts another pause: see changes_check. */
static int on_second(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;
	struct changes *changes = &tagger->changes;

	(void)source;
	(void)usec;
	changes->looks = 0;
	if (changes->how == CHANGES_HEARD)
		sd_event_source_set_enabled(changes->heard, SD_EVENT_ON);
	else
		pause_for_a_second(changes);
	look(tagger);
	return 0;
}

/* ---- the subscription ---- */

static int subscribe(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	int r = sched_calls_open(gettid(), &changes->trace);

	if (r == 0)
		r = sd_event_add_io(tagger->event, &changes->heard, trace_fd(changes->trace), EPOLLIN, on_call, tagger);
	if (r >= 0)
		r = sd_event_source_set_priority(changes->heard, SD_EVENT_PRIORITY_NORMAL + 1);
	return r < 0 ? r : 0;
}

static void begin(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	int r = sd_event_add_time(tagger->event, &changes->timer, CLOCK_MONOTONIC, 0, 0, on_second, tagger);

	if (r >= 0)
		r = sd_event_source_set_enabled(changes->timer, SD_EVENT_OFF);
	if (r >= 0)
		r = subscribe(tagger);
	changes->how = r < 0 ? CHANGES_POLLED : CHANGES_HEARD;
	if (r >= 0)
		return;
	log_notice("what others change on tasks is not heard (%s): tasks of rules that enforce are looked at once a second",
		   sched_calls_fault(-r));
	pause_for_a_second(changes);
}

void changes_update(struct tagger *tagger)
{
	if (!plan_needs_changes(tagger->plan))
		changes_close(tagger);
	else if (tagger->changes.how == CHANGES_UNUSED)
		begin(tagger);
}

void changes_renew(struct tagger *tagger)
{
	if (tagger->changes.how != CHANGES_HEARD)
		return;
	changes_close(tagger);
	begin(tagger);
}

void changes_close(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;

	changes->heard = sd_event_source_disable_unref(changes->heard);
	changes->timer = sd_event_source_disable_unref(changes->timer);
	trace_close(changes->trace);
	changes->trace = NULL;
	changes->how = CHANGES_UNUSED;
}

/* ---- what was put back ---- */

/* "process 42 (vi)": of a thread, as far as it is known. */
static void name_process(const struct tagger *tagger, pid_t tid, char *ret, size_t size)
{
	const struct task *task = tasks_find(plan_tasks(tagger->plan), tid);
	const pid_t pid = task ? task->tgid : tid;
	char comm[TASK_COMM_LEN] = "ended", name[TASK_COMM_LEN * 4];

	procfs_comm(tagger->proc, pid, comm);
	snprintf(ret, size, "process %d (%s)", (int)pid, text_escape_to(name, sizeof(name), comm, strlen(comm)));
}

void changes_check(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	const pid_t tid = changes->put_back;
	char of[128], by[128] = "somebody";

	changes->put_back = 0;
	if (!tid || changes->how == CHANGES_UNUSED)
		return;
	pause_for_a_second(changes);
	name_process(tagger, tid, of, sizeof(of));
	if (changes->caller)
		name_process(tagger, changes->caller, by, sizeof(by));
	problem_report(&tagger->problems[PROBLEM_CHANGES],
		       "task %d of %s: put back what %s%s has changed; if that goes on, it is put back once a second",
		       (int)tid, of, changes->are_several ? "one of several, perhaps " : "", by);
}
