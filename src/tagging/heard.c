/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listens to renames, moves and attribute changes, each only while a rule, group or override in force needs it: see
 * struct names, moves and changes.
 */
#include "tagger_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <schedqos/kernel/events.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* Names the process of a thread for the log: "process 42 (vi)". */
static void name_process(const struct tagger *tagger, pid_t tid, char *ret, size_t size)
{
	const struct task *task = tasks_find(plan_tasks(tagger->plan), tid);
	const pid_t pid = task ? task->tgid : tid;
	char comm[TASK_COMM_LEN] = "ended", name[TASK_COMM_LEN * 4];

	procfs_comm(tagger->proc, pid, comm);
	snprintf(ret, size, "process %d (%s)", (int)pid, text_escape_to(name, sizeof(name), comm, strlen(comm)));
}

/* ---- renames ---- */

/*
 * Pause between two reads of names: 150 ms for a short wait for a class, but longer if reading would take more than 2 %
 * of a CPU's time.
 */
#define PAUSE_MIN_MS   150
#define PAUSE_PER_READ 50

static void pause_names(struct tagger *tagger)
{
	const uint64_t ms = tagger->names.reading_us * PAUSE_PER_READ / 1000;

	queue_close(tagger, INTAKE_NAMES);
	do_later(tagger, LATER_NAMES, ms > PAUSE_MIN_MS ? (uint32_t)ms : PAUSE_MIN_MS);
}

static void subscribe_to_names(struct tagger *tagger)
{
	int r = queue_open(tagger, INTAKE_NAMES);

	if (r == 0)
		return;
	problem_report(&tagger->problems[PROBLEM_RECEIVE], "cannot listen to renames: %s", strerror(-r));
	pause_names(tagger);
}

static void close_names(struct tagger *tagger)
{
	not_later(tagger, LATER_NAMES);
	tagger->names.flood.is_on = false;
	queue_close(tagger, INTAKE_NAMES);
}

static void update_names(struct tagger *tagger)
{
	if (!tagger->config->rules->need_renames)
		close_names(tagger);
	else if (!tagger->paces[INTAKE_NAMES].is_open && !is_later(tagger, LATER_NAMES))
		subscribe_to_names(tagger);
}

/* Reads the present names, and books them in place of the renames that were missed. */
static void read_names(struct tagger *tagger)
{
	/* CPU time, because a suspend during elapsed time would make the next pause last for minutes. */
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

static void check_names(struct tagger *tagger)
{
	struct flood *flood = &tagger->names.flood;
	char last[128] = "somebody";

	if (!flood->is_on)
		return;
	flood->is_on = false;
	tagger->counters.rename_floods++;
	if (flood->tgid)
		name_process(tagger, flood->tgid, last, sizeof(last));
	problem_report(
		&tagger->problems[PROBLEM_RENAMES],
		"more than %d renames a second, the last of %s: meanwhile the names of threads are read only from time to time",
		FLOOD_RATE, last);
	pause_names(tagger);
}

/* ---- moves on kernels where they cannot be heard: processes are looked at for a while after an exec ---- */

#define SECOND_MS 1000

/* Number of looks, one per second. */
#define LOOKS 3

static void check_young(struct tagger *tagger)
{
	if (tagger->moves.n_young && !is_later(tagger, LATER_MOVES))
		do_later(tagger, LATER_MOVES, SECOND_MS);
}

/* Books a move for each young process. */
static void look_at_young(struct tagger *tagger)
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
		moves->how = HEARING_HEARD;
		return;
	}
	if (moves->how != HEARING_POLLED)
		log_notice(
			"moves between cgroups are not reported (%s): cgroups are read again only 1, 2 and 3 s after an exec",
			trace_fault(-r));
	moves->how = HEARING_POLLED;
}

static void close_moves(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;

	not_later(tagger, LATER_MOVES);
	free(moves->sweep);
	moves->sweep = NULL;
	moves->n_sweep = moves->sweep_size = moves->swept = 0;
	moves->flood.is_on = false;
	tagger->moves.how = HEARING_UNUSED;
	tagger->moves.n_young = 0;
	queue_close(tagger, INTAKE_MOVES);
}

static void update_moves(struct tagger *tagger)
{
	if (!plan_needs_moves(tagger->plan))
		close_moves(tagger);
	else if (tagger->moves.how != HEARING_HEARD)
		subscribe_to_moves(tagger);
}

/* ---- floods of moves ---- */

/*
 * Reads the cgroups of all processes in steps. Sweeps may use a tenth of a CPU's time. A step is limited in CPU time
 * and in the number of processes to match again, so that no task waits long for it. A process that moves during a pause
 * waits for its end and for a sweep: with 200 processes less than 50 ms.
 */
#define MOVES_PAUSE_MS	  25
#define PAUSE_PER_SWEEP	  10
#define STEP_MS		  5
#define STEP_CPU_NS	  3000000
#define STEP_MATCHES	  64

static bool is_sweeping(const struct moves *moves)
{
	return moves->swept < moves->n_sweep;
}

static void check_move_flood(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;
	const uint64_t ms = moves->sweep_us * PAUSE_PER_SWEEP / 1000;
	char last[128] = "somebody";

	if (!moves->flood.is_on || is_later(tagger, LATER_MOVES))
		return;
	if (moves->flood.tgid)
		name_process(tagger, moves->flood.tgid, last, sizeof(last));
	problem_report(
		&tagger->problems[PROBLEM_MOVES],
		"too many moves between cgroups, the last of %s: meanwhile cgroups are read only from time to time",
		last);
	pace_pause(&tagger->paces[INTAKE_MOVES]);
	do_later(tagger, LATER_MOVES, ms > MOVES_PAUSE_MS ? (uint32_t)ms : MOVES_PAUSE_MS);
}

/* Lists all processes. Returns false without memory; then a scan is made later. */
static bool list_for_sweep(struct tagger *tagger)
{
	const struct tasks *tasks = plan_tasks(tagger->plan);
	struct moves *moves = &tagger->moves;
	const struct task *task;
	uint32_t cursor = 0;

	moves->n_sweep = moves->swept = 0;
	while ((task = tasks_next(tasks, &cursor))) {
		if (task->tid != task->tgid)
			continue;
		if (moves->n_sweep == moves->sweep_size) {
			const size_t size = moves->sweep_size ? moves->sweep_size * 2 : 1024;
			pid_t *sweep = reallocarray(moves->sweep, size, sizeof(*sweep));

			if (!sweep)
				return false;
			moves->sweep = sweep;
			moves->sweep_size = size;
		}
		moves->sweep[moves->n_sweep++] = task->tgid;
	}
	return true;
}

/* Hears moves again, and starts to look for processes that have moved in between. */
static void begin_sweep(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;

	moves->flood.is_on = false;
	moves->flood.count = 0;
	moves->sweep_us = 0;
	intake_heed_moves(tagger->intake);
	pace_resume(&tagger->paces[INTAKE_MOVES]);
	if (!list_for_sweep(tagger))
		do_later(tagger, LATER_SCAN, SECOND_MS);
}

static void sweep_some(struct tagger *tagger)
{
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct moves *moves = &tagger->moves;
	struct task_event event = { .what = EVENT_MOVE, .ms = clock_ms() };
	unsigned n_moved = 0;
	uint64_t ns = 0;

	while (is_sweeping(moves) && n_moved < STEP_MATCHES && ns < STEP_CPU_NS) {
		bool is_spared;

		event.tid = event.tgid = moves->sweep[moves->swept++];
		if (live_facts_has_moved(tagger->facts, event.tgid, &is_spared)) {
			plan_book(tagger->plan, &event);
			n_moved++;
		} else if (is_spared) {
			unread_note(&tagger->spending.spared, event.tgid, event.ms);
		}
		ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	moves->sweep_us += ns / 1000;
}

/*
 * Continues the sweep. If there is another flood, the sweep still goes on to its end, which it would not reach
 * otherwise.
 */
static void go_on_with_sweep(struct tagger *tagger)
{
	struct moves *moves = &tagger->moves;

	if (!is_sweeping(moves) && moves->flood.is_on)
		begin_sweep(tagger);
	sweep_some(tagger);
	if (is_sweeping(moves))
		do_later(tagger, LATER_MOVES, STEP_MS);
}

static void check_moves(struct tagger *tagger)
{
	if (tagger->moves.how == HEARING_HEARD)
		check_move_flood(tagger);
	else
		check_young(tagger);
}

/* ---- changes ---- */

/* Time between two looks. A look takes 0.2 ms with 10,000 tasks, 100 of which have rules that enforce. */
#define AFTER_LOOK_MS (SECOND_MS / 16)

/* Most calls to read at once, more than the rings hold: the callers can fill them while we read. */
#define CALLS_MAX 16384

static void pause_changes(struct tagger *tagger, uint32_t ms)
{
	sd_event_source_set_enabled(tagger->changes.heard, SD_EVENT_OFF);
	do_later(tagger, LATER_CHANGES, ms);
}

/* Notes the last caller. Lost calls do not matter, because a look covers every task that is enforced. */
static void drain(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	struct trace_event event;

	changes->caller = 0;
	for (int i = 0; changes->trace && i < CALLS_MAX && trace_next(changes->trace, &event) != 0; i++) {
		changes->caller = event.tid;
		tagger->counters.changes++;
	}
}

static void look_at_changes(struct tagger *tagger)
{
	drain(tagger);
	plan_look_at_enforced(tagger->plan);
	tagger_wake(tagger);
}

static int on_sched_call(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)fd;
	(void)revents;
	look_at_changes(tagger);
	pause_changes(tagger, AFTER_LOOK_MS);
	return 0;
}

/* Ends the pause and looks again. If something has to be put back, check_changes starts another pause. */
static void end_pause(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;

	if (changes->how == HEARING_HEARD)
		sd_event_source_set_enabled(changes->heard, SD_EVENT_ON);
	else
		pause_changes(tagger, SECOND_MS);
	look_at_changes(tagger);
}

static int subscribe_to_changes(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	int r = sched_calls_open(gettid(), &changes->trace);

	if (r == 0)
		r = sd_event_add_io(tagger->event, &changes->heard, trace_fd(changes->trace), EPOLLIN, on_sched_call,
				    tagger);
	if (r >= 0)
		r = sd_event_source_set_priority(changes->heard, SD_EVENT_PRIORITY_NORMAL + 1);
	return r < 0 ? r : 0;
}

static void begin_changes(struct tagger *tagger)
{
	int r = subscribe_to_changes(tagger);

	tagger->changes.how = r < 0 ? HEARING_POLLED : HEARING_HEARD;
	if (r == 0)
		return;
	log_notice("changes of attributes are not reported (%s): tasks of rules that enforce are checked once a second",
		   trace_fault(-r));
	pause_changes(tagger, SECOND_MS);
}

static void close_changes(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;

	not_later(tagger, LATER_CHANGES);
	changes->heard = sd_event_source_disable_unref(changes->heard);
	trace_close(changes->trace);
	changes->trace = NULL;
	changes->how = HEARING_UNUSED;
}

static void update_changes(struct tagger *tagger)
{
	if (!plan_config(tagger->plan)->rules->enforce)
		close_changes(tagger);
	else if (tagger->changes.how == HEARING_UNUSED)
		begin_changes(tagger);
}

static void check_changes(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	const pid_t tid = changes->put_back;
	char of[128], by[128] = "somebody";

	changes->put_back = 0;
	if (!tid || changes->how == HEARING_UNUSED)
		return;
	pause_changes(tagger, SECOND_MS);
	name_process(tagger, tid, of, sizeof(of));
	if (changes->caller)
		name_process(tagger, changes->caller, by, sizeof(by));
	problem_report(&tagger->problems[PROBLEM_CHANGES],
		       "task %d of %s: undid a change by %s or another; further changes are undone once a second",
		       (int)tid, of, by);
}

/* ---- all of it ---- */

void heard_update(struct tagger *tagger)
{
	update_names(tagger);
	update_moves(tagger);
	update_changes(tagger);
}

void heard_close(struct tagger *tagger)
{
	close_names(tagger);
	close_moves(tagger);
	close_changes(tagger);
}

void heard_check(struct tagger *tagger)
{
	check_names(tagger);
	check_moves(tagger);
	check_changes(tagger);
}

void heard_due(struct tagger *tagger)
{
	if (is_due(tagger, LATER_NAMES)) {
		/* In this order no rename is missed in between. */
		subscribe_to_names(tagger);
		read_names(tagger);
	}
	if (is_due(tagger, LATER_MOVES)) {
		if (tagger->moves.how == HEARING_HEARD)
			go_on_with_sweep(tagger);
		else
			look_at_young(tagger);
	}
	if (is_due(tagger, LATER_CHANGES))
		end_pause(tagger);
}
