/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes from tracepoints, if a rule, group or override in force can use it: see struct moves and struct changes. */
#include "tagger_private.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/events.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* ---- moves, where they are not heard ---- */

#define SECOND_US 1000000

/* So many, one a second. */
#define LOOKS 3

static void check_moves(struct moves *moves)
{
	int is_on;

	if (!moves->n_young || sd_event_source_get_enabled(moves->timer, &is_on) != 0)
		return;
	sd_event_source_set_time_relative(moves->timer, SECOND_US);
	sd_event_source_set_enabled(moves->timer, SD_EVENT_ONESHOT);
}

void moves_book_due(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;
	struct task_event event = { .what = EVENT_MOVE, .ms = clock_ms() };
	unsigned kept = 0;

	for (unsigned i = 0; i < moves->n_young; i++) {
		struct young young = moves->young[i];

		event.tid = event.tgid = young.tgid;
		plan_book(tagger->plan, &event);
		if (++young.looks < LOOKS)
			moves->young[kept++] = young;
	}
	moves->n_young = kept;
}

/* ---- moves ---- */

static void subscribe_to_moves(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;
	int r = queue_open(tagger, INTAKE_MOVES);

	if (r == 0) {
		moves->how = MOVES_HEARD;
		return;
	}
	if (moves->how != MOVES_POLLED)
		log_notice("moves between cgroups are not heard (%s): processes are looked at again only 1, 2 and 3 s "
			   "after an exec",
			   trace_fault(-r));
	moves->how = MOVES_POLLED;
}

static void close_moves(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;

	moves->how = MOVES_UNUSED;
	moves->n_young = 0;
	sd_event_source_set_enabled(moves->timer, SD_EVENT_OFF);
	queue_close(tagger, INTAKE_MOVES);
}

static void update_moves(struct tagger *tagger)
{
	if (!plan_needs_moves(tagger->plan)) {
		close_moves(tagger);
		return;
	}
	if (tagger->moves.how != MOVES_HEARD)
		subscribe_to_moves(tagger);
}

/* ---- changes ---- */

/* A look takes some 0.2 ms with 10,000 tasks of which rules enforce 100. */
#define AFTER_LOOK_US (SECOND_US / 16)

/* More than the rings hold: whoever fills them can go on doing so. */
#define CALLS_MAX 16384

static void pause_for(struct changes *changes, uint64_t time_us)
{
	sd_event_source_set_enabled(changes->heard, SD_EVENT_OFF);
	sd_event_source_set_time_relative(changes->timer, time_us);
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

	(void)source;
	(void)fd;
	(void)revents;
	look(tagger);
	pause_for(&tagger->changes, AFTER_LOOK_US);
	return 0;
}

/* What has been put back again starts another pause: see check_changes. */
static int on_pause_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct tagger *tagger = userdata;
	struct changes *changes = &tagger->changes;

	(void)source;
	(void)usec;
	if (changes->how == CHANGES_HEARD)
		sd_event_source_set_enabled(changes->heard, SD_EVENT_ON);
	else
		pause_for(changes, SECOND_US);
	look(tagger);
	return 0;
}

static int subscribe_to_changes(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	int r = sched_calls_open(gettid(), &changes->trace);

	if (r == 0)
		r = sd_event_add_io(tagger->event, &changes->heard, trace_fd(changes->trace), EPOLLIN, on_call, tagger);
	if (r >= 0)
		r = sd_event_source_set_priority(changes->heard, SD_EVENT_PRIORITY_NORMAL + 1);
	return r < 0 ? r : 0;
}

static void begin_changes(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	int r = sd_event_add_time(tagger->event, &changes->timer, CLOCK_MONOTONIC, 0, 10000, on_pause_over, tagger);

	if (r >= 0)
		r = sd_event_source_set_enabled(changes->timer, SD_EVENT_OFF);
	if (r >= 0)
		r = subscribe_to_changes(tagger);
	changes->how = r < 0 ? CHANGES_POLLED : CHANGES_HEARD;
	if (r >= 0)
		return;
	log_notice("what others change on tasks is not heard (%s): tasks of rules that enforce are looked at once a second",
		   trace_fault(-r));
	pause_for(changes, SECOND_US);
}

static void close_changes(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;

	changes->heard = sd_event_source_disable_unref(changes->heard);
	changes->timer = sd_event_source_disable_unref(changes->timer);
	trace_close(changes->trace);
	changes->trace = NULL;
	changes->how = CHANGES_UNUSED;
}

static void update_changes(struct tagger *tagger)
{
	if (!rules_enforce(plan_config(tagger->plan)->rules))
		close_changes(tagger);
	else if (tagger->changes.how == CHANGES_UNUSED)
		begin_changes(tagger);
}

/* "process 42 (vi)": of a thread, as far as it is known. */
static void name_process(const struct tagger *tagger, pid_t tid, char *ret, size_t size)
{
	const struct task *task = tasks_find(plan_tasks(tagger->plan), tid);
	const pid_t pid = task ? task->tgid : tid;
	char comm[TASK_COMM_LEN] = "ended", name[TASK_COMM_LEN * 4];

	procfs_comm(tagger->proc, pid, comm);
	snprintf(ret, size, "process %d (%s)", (int)pid, text_escape_to(name, sizeof(name), comm, strlen(comm)));
}

static void check_changes(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	const pid_t tid = changes->put_back;
	char of[128], by[128] = "somebody";

	changes->put_back = 0;
	if (!tid || changes->how == CHANGES_UNUSED)
		return;
	pause_for(changes, SECOND_US);
	name_process(tagger, tid, of, sizeof(of));
	if (changes->caller)
		name_process(tagger, changes->caller, by, sizeof(by));
	problem_report(&tagger->problems[PROBLEM_CHANGES],
		       "task %d of %s: put back what %s%s has changed; if that goes on, it is put back once a second",
		       (int)tid, of, changes->are_several ? "one of several, perhaps " : "", by);
}

/* ---- all of it ---- */

void traced_update(struct tagger *tagger)
{
	update_moves(tagger);
	update_changes(tagger);
}

void traced_close(struct tagger *tagger)
{
	close_moves(tagger);
	close_changes(tagger);
}

void traced_check(struct tagger *tagger)
{
	check_moves(&tagger->moves);
	check_changes(tagger);
}
