/* SPDX-License-Identifier: GPL-2.0-only */
#include "heard.h"

#include <errno.h>
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
static void name_process(const struct heard *heard, pid_t tid, char *ret, size_t size)
{
	const struct task *task = tasks_find(plan_tasks(heard->decider->plan), tid);
	const pid_t pid = task ? task->tgid : tid;
	char comm[TASK_COMM_LEN] = "ended", name[TASK_COMM_LEN * 4];

	procfs_comm(heard->decider->proc, pid, comm);
	snprintf(ret, size, "process %d (%s)", (int)pid, text_escape_to(name, sizeof(name), comm, strlen(comm)));
}

/* ---- renames ---- */

/*
 * Pause between two reads of names: 150 ms, so that no renamed task waits long for its class; but longer if reading
 * would take more than 2 % of a CPU's time.
 */
#define PAUSE_MIN_MS   150
#define PAUSE_PER_READ 50

static void pause_names(struct heard *heard)
{
	const uint64_t ms = heard->reading_names_us * PAUSE_PER_READ / 1000;

	intake_unsubscribe(heard->intake, INTAKE_NAMES);
	later_do(heard->later, LATER_NAMES, ms > PAUSE_MIN_MS ? (uint32_t)ms : PAUSE_MIN_MS);
}

static void subscribe_to_names(struct heard *heard)
{
	int r = intake_subscribe(heard->intake, INTAKE_NAMES);

	if (r == 0)
		return;
	problem_report(&heard->decider->tally->problems[PROBLEM_RECEIVE], "cannot listen to renames: %s", strerror(-r));
	pause_names(heard);
}

static void close_names(struct heard *heard)
{
	later_drop(heard->later, LATER_NAMES);
	intake_unsubscribe(heard->intake, INTAKE_NAMES);
}

static void update_names(struct heard *heard)
{
	if (!plan_config(heard->decider->plan)->rules->need_renames)
		close_names(heard);
	else if (!later_is_set(heard->later, LATER_NAMES))
		subscribe_to_names(heard);
}

/* Reads the present names, and books them in place of the renames that were missed. */
static void read_names(struct heard *heard)
{
	/* CPU time, because a suspend during elapsed time would make the next pause last for minutes. */
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const struct tasks *tasks = plan_tasks(heard->decider->plan);
	struct task_event event = { .what = EVENT_RENAME };
	const struct task *task;
	uint32_t cursor = 0;

	while ((task = tasks_next(tasks, &cursor))) {
		if (!plan_has_thread_rules(heard->decider->plan, tasks_leader(tasks, task->tgid)))
			continue;
		event.tid = task->tid;
		event.tgid = task->tgid;
		event.ms = clock_ms();
		if (procfs_comm(heard->decider->proc, task->tid, event.comm) == 0)
			plan_book(heard->decider->plan, &event);
	}
	heard->reading_names_us = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) / 1000;
}

static void check_names(struct heard *heard)
{
	char last[128] = "somebody";
	pid_t tid;

	if (!intake_is_flooded(heard->intake, INTAKE_NAMES, &tid))
		return;
	heard->decider->tally->counters.rename_floods++;
	if (tid)
		name_process(heard, tid, last, sizeof(last));
	problem_report(
		&heard->decider->tally->problems[PROBLEM_RENAMES],
		"more than %d renames a second, the last of %s: meanwhile the names of threads are read only from time to time",
		FLOOD_RATE, last);
	pause_names(heard);
}

/* ---- moves on kernels where they cannot be heard: processes are looked at for a while after an exec ---- */

#define SECOND_MS 1000

/* Number of looks, one per second. */
#define LOOKS 3

static void check_young(struct heard *heard)
{
	if (heard->decider->young.count && !later_is_set(heard->later, LATER_MOVES))
		later_do(heard->later, LATER_MOVES, SECOND_MS);
}

/* Books a move for each young process. */
static void look_at_young(struct heard *heard)
{
	struct young *young = &heard->decider->young;
	struct task_event event = { .what = EVENT_MOVE, .ms = clock_ms() };
	unsigned kept = 0;

	for (unsigned i = 0; i < young->count; i++) {
		event.tid = event.tgid = young->all[i].tgid;
		plan_book(heard->decider->plan, &event);
		if (++young->all[i].looks < LOOKS)
			young->all[kept++] = young->all[i];
	}
	young->count = kept;
}

/* ---- moves ---- */

static void subscribe_to_moves(struct heard *heard)
{
	struct moves *moves = &heard->moves;
	int r = intake_subscribe(heard->intake, INTAKE_MOVES);

	heard->decider->young.is_kept = r < 0;
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

static void close_moves(struct heard *heard)
{
	struct moves *moves = &heard->moves;

	later_drop(heard->later, LATER_MOVES);
	free(moves->sweep);
	moves->sweep = NULL;
	moves->n_sweep = moves->swept = 0;
	moves->how = HEARING_UNUSED;
	heard->decider->young.is_kept = false;
	heard->decider->young.count = 0;
	intake_unsubscribe(heard->intake, INTAKE_MOVES);
}

static void update_moves(struct heard *heard)
{
	if (!plan_needs_moves(heard->decider->plan))
		close_moves(heard);
	else if (heard->moves.how != HEARING_HEARD)
		subscribe_to_moves(heard);
}

/* ---- floods of moves ---- */

/*
 * Reads the cgroups of all processes in steps. Sweeps may use a tenth of a CPU's time. A step is limited in CPU time
 * and in the number of processes to match again, so that no task waits long for it. A process that moves during a pause
 * waits for its end and for a sweep: with 200 processes less than 50 ms.
 */
#define MOVES_PAUSE_MS	25
#define PAUSE_PER_SWEEP 10
#define STEP_MS		5
#define STEP_CPU_NS	3000000
#define STEP_MATCHES	64

static bool is_sweeping(const struct moves *moves)
{
	return moves->swept < moves->n_sweep;
}

static void check_move_flood(struct heard *heard)
{
	struct moves *moves = &heard->moves;
	const uint64_t ms = moves->sweep_us * PAUSE_PER_SWEEP / 1000;
	char last[128] = "somebody";
	pid_t tid;

	if (!intake_is_flooded(heard->intake, INTAKE_MOVES, &tid) || later_is_set(heard->later, LATER_MOVES))
		return;
	if (tid)
		name_process(heard, tid, last, sizeof(last));
	problem_report(
		&heard->decider->tally->problems[PROBLEM_MOVES],
		"too many moves between cgroups, the last of %s: meanwhile cgroups are read only from time to time",
		last);
	intake_pause(heard->intake, INTAKE_MOVES);
	later_do(heard->later, LATER_MOVES, ms > MOVES_PAUSE_MS ? (uint32_t)ms : MOVES_PAUSE_MS);
}

/* Lists all processes. Returns false if out of memory: then a scan follows later. */
static bool list_for_sweep(struct heard *heard)
{
	const struct tasks *tasks = plan_tasks(heard->decider->plan);
	struct moves *moves = &heard->moves;
	const struct task *task;
	uint32_t cursor = 0;
	pid_t *sweep;

	moves->n_sweep = moves->swept = 0;
	while ((task = tasks_next(tasks, &cursor))) {
		if (task->tid != task->tgid)
			continue;
		sweep = array_room(moves->sweep, moves->n_sweep, sizeof(*sweep));
		if (!sweep)
			return false;
		moves->sweep = sweep;
		moves->sweep[moves->n_sweep++] = task->tgid;
	}
	return true;
}

/* Hears moves again, and starts to look for processes that have moved in between. */
static void begin_sweep(struct heard *heard)
{
	struct moves *moves = &heard->moves;

	moves->sweep_us = 0;
	intake_resume(heard->intake, INTAKE_MOVES);
	if (!list_for_sweep(heard))
		later_do(heard->later, LATER_SCAN, SECOND_MS);
}

static void sweep_some(struct heard *heard)
{
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct moves *moves = &heard->moves;
	struct task_event event = { .what = EVENT_MOVE, .ms = clock_ms() };
	unsigned n_moved = 0;
	uint64_t ns = 0;

	while (is_sweeping(moves) && n_moved < STEP_MATCHES && ns < STEP_CPU_NS) {
		bool is_spared;

		event.tid = event.tgid = moves->sweep[moves->swept++];
		if (live_facts_has_moved(heard->decider->facts, event.tgid, &is_spared)) {
			plan_book(heard->decider->plan, &event);
			n_moved++;
		} else if (is_spared) {
			unread_note(&heard->decider->spending.spared, event.tgid, event.ms);
		}
		ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	moves->sweep_us += ns / 1000;
}

/*
 * Continues the sweep. Goes on to the end even if there is another flood, because repeated floods would otherwise keep
 * it from ever ending.
 */
static void go_on_with_sweep(struct heard *heard)
{
	struct moves *moves = &heard->moves;
	pid_t tid;

	if (!is_sweeping(moves) && intake_is_flooded(heard->intake, INTAKE_MOVES, &tid))
		begin_sweep(heard);
	sweep_some(heard);
	if (is_sweeping(moves))
		later_do(heard->later, LATER_MOVES, STEP_MS);
}

static void check_moves(struct heard *heard)
{
	if (heard->moves.how == HEARING_HEARD)
		check_move_flood(heard);
	else
		check_young(heard);
}

/* ---- changes ---- */

/* Time between two looks. A look takes 0.2 ms with 10,000 tasks, 100 of which have rules that enforce. */
#define AFTER_LOOK_MS (SECOND_MS / 16)

/* Maximum number of calls to read at once. The rings hold fewer, but callers can refill them while we read. */
#define CALLS_MAX 16384

/*
 * Has epoll report changes, or ends that. The trace must not be watched through another epoll, such as that of
 * sd-event: the kernel reports records of perf to the first that polls (perf_poll in events/core.c, 6.18).
 */
static int watch_changes(struct heard *heard, bool watch)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = heard };
	struct changes *changes = &heard->changes;

	if (!changes->trace || watch == changes->is_watched)
		return 0;
	if (epoll_ctl(heard->epoll, watch ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, trace_fd(changes->trace), &event) < 0)
		return -errno;
	changes->is_watched = watch;
	return 0;
}

static void pause_changes(struct heard *heard, uint32_t ms)
{
	watch_changes(heard, false);
	later_do(heard->later, LATER_CHANGES, ms);
}

/* Notes the last caller. Lost calls do not matter, because a look covers every task that is enforced. */
static void drain(struct heard *heard)
{
	struct changes *changes = &heard->changes;
	struct trace_event event;

	changes->caller = 0;
	for (int i = 0; changes->trace && i < CALLS_MAX && trace_next(changes->trace, &event) != 0; i++) {
		changes->caller = event.tid;
		heard->decider->tally->counters.changes++;
	}
}

static void look_at_changes(struct heard *heard)
{
	drain(heard);
	plan_mark_enforced(heard->decider->plan);
	later_wake(heard->later);
}

void heard_changes(struct heard *heard)
{
	look_at_changes(heard);
	pause_changes(heard, AFTER_LOOK_MS);
}

/* Ends the pause and looks again. If something has to be put back, check_changes starts another pause. */
static void end_pause(struct heard *heard)
{
	if (heard->changes.how != HEARING_HEARD || watch_changes(heard, true) < 0)
		pause_changes(heard, SECOND_MS);
	look_at_changes(heard);
}

static int subscribe_to_changes(struct heard *heard)
{
	int r = sched_calls_open(gettid(), &heard->changes.trace);

	return r < 0 ? r : watch_changes(heard, true);
}

static void begin_changes(struct heard *heard)
{
	int r = subscribe_to_changes(heard);

	heard->changes.how = r < 0 ? HEARING_POLLED : HEARING_HEARD;
	if (r == 0)
		return;
	log_notice("changes of attributes are not reported (%s): tasks of rules that enforce are checked once a second",
		   trace_fault(-r));
	pause_changes(heard, SECOND_MS);
}

static void close_changes(struct heard *heard)
{
	struct changes *changes = &heard->changes;

	later_drop(heard->later, LATER_CHANGES);
	watch_changes(heard, false);
	trace_close(changes->trace);
	changes->trace = NULL;
	changes->how = HEARING_UNUSED;
}

static void update_changes(struct heard *heard)
{
	if (!plan_config(heard->decider->plan)->rules->enforce)
		close_changes(heard);
	else if (heard->changes.how == HEARING_UNUSED)
		begin_changes(heard);
}

static void check_changes(struct heard *heard)
{
	struct changes *changes = &heard->changes;
	const pid_t tid = heard->decider->put_back;
	char of[128], by[128] = "somebody";

	heard->decider->put_back = 0;
	if (!tid || changes->how == HEARING_UNUSED)
		return;
	pause_changes(heard, SECOND_MS);
	name_process(heard, tid, of, sizeof(of));
	if (changes->caller)
		name_process(heard, changes->caller, by, sizeof(by));
	problem_report(&heard->decider->tally->problems[PROBLEM_CHANGES],
		       "task %d of %s: put back a change by %s or somebody else; further changes are put back once a second",
		       (int)tid, of, by);
}

/* ---- all of it ---- */

void heard_update(struct heard *heard)
{
	update_names(heard);
	update_moves(heard);
	update_changes(heard);
}

void heard_close(struct heard *heard)
{
	close_names(heard);
	close_moves(heard);
	close_changes(heard);
}

bool heard_renew(struct heard *heard)
{
	if (heard->moves.how != HEARING_HEARD && heard->changes.how != HEARING_HEARD)
		return false;
	heard_close(heard);
	heard_update(heard);
	return true;
}

void heard_check(struct heard *heard)
{
	check_names(heard);
	check_moves(heard);
	check_changes(heard);
}

void heard_due(struct heard *heard)
{
	if (later_take(heard->later, LATER_NAMES)) {
		/* Subscribe before reading, so that no rename is missed in between. */
		subscribe_to_names(heard);
		read_names(heard);
	}
	if (later_take(heard->later, LATER_MOVES)) {
		if (heard->moves.how == HEARING_HEARD)
			go_on_with_sweep(heard);
		else
			look_at_young(heard);
	}
	if (later_take(heard->later, LATER_CHANGES))
		end_pause(heard);
}
