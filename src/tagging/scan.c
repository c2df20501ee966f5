/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Books every task in /proc: at the start, after the rules have changed, and after events were lost. Also finds the
 * processes that an override covers.
 */
#include "parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/app_cgroup.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

/* Maximum number of passes. In a fork storm there are always new tasks, but their forks are reported anyway. */
#define PASSES_MAX 8

/* Events are booked after this many tasks, so that no queue overflows during a long scan. */
#define BOOK_EVERY 256

/* Records of ended tasks do not matter below this number of records. */
#define SWEEP_MIN 2048

struct process {
	pid_t pid, ppid;
	int32_t tty;
	uint64_t start;
};

struct scan {
	struct decider *decider;
	struct process *processes; /* all living ones, parents before their children */
	size_t count;
	size_t n_booked; /* tasks booked in this pass */
	bool outrun;	 /* events arrive faster than we book them */
	int error;	 /* the last error that made us skip an existing task */
};

/* Notes an error, unless the task was gone. Returns whether there was one. */
static bool note_scan_error(struct scan *scan, int error)
{
	if (error < 0 && error != -ESRCH)
		scan->error = error;
	return error < 0;
}

static int compare_starts(const void *va, const void *vb)
{
	const struct process *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Reads the stat of a thread; or of the process, if tid equals pid. */
static int read_stat(const struct scan *scan, pid_t pid, pid_t tid, struct procfs_stat *ret)
{
	const int proc = scan->decider->proc;

	return pid == tid ? procfs_stat(proc, pid, ret) : procfs_thread_stat(proc, pid, tid, ret);
}

static int add_process(struct scan *scan, pid_t pid)
{
	struct procfs_stat stat;
	struct process *process;

	if (note_scan_error(scan, read_stat(scan, pid, pid, &stat)) || (stat.flags & PROCFS_PF_KTHREAD))
		return 0;
	process = array_room(scan->processes, scan->count, sizeof(*process));
	if (!process)
		return -ENOMEM;
	scan->processes = process;
	scan->processes[scan->count++] = (struct process){ pid, stat.ppid, stat.tty, stat.start };
	return 0;
}

/*
 * Lists all processes, sorted so that parents come first: a child starts later, and within one tick it usually has the
 * higher pid.
 */
static int list_processes(struct scan *scan)
{
	_cleanup_closedir_ DIR *list = NULL;
	int r = procfs_list(scan->decider->proc, 0, &list);
	pid_t pid;

	scan->count = 0;
	while (r == 0 && (pid = procfs_next(list)))
		r = add_process(scan, pid);
	if (r == 0 && scan->count)
		qsort(scan->processes, scan->count, sizeof(*scan->processes), compare_starts);
	return r;
}

static void book_task(struct scan *scan, const struct process *process, pid_t tid, uint64_t start)
{
	struct decider *decider = scan->decider;
	const struct plan_found found = {
		.tid = tid,
		.tgid = process->pid,
		.parent_tgid = process->ppid,
		.start = start,
	};

	/*
	 * A task born since we subscribed has a fork event, which gives its record what its parent had. So book queued
	 * events first, unless they never end.
	 */
	if (!scan->outrun && !tasks_find(plan_tasks(decider->plan), tid)) {
		scan->outrun = !decider_book(decider);
		if (plan_is_seen(decider->plan, tid))
			return;
	}
	plan_book_found(decider->plan, &found, live_facts_for(decider->facts, tid, process->pid));
	/* One that gets no record, such as ourselves or a zombie, is no reason for another pass. */
	if (!plan_is_seen(decider->plan, tid))
		return;
	if (++scan->n_booked % BOOK_EVERY == 0)
		decider_book(decider);
}

/* Books the process's threads that have not been seen yet. */
static void book_threads(struct scan *scan, const struct process *process)
{
	_cleanup_closedir_ DIR *list = NULL;
	struct decider *decider = scan->decider;
	pid_t tid;

	if (note_scan_error(scan, procfs_list(decider->proc, process->pid, &list)))
		return;
	while ((tid = procfs_next(list))) {
		struct procfs_stat stat;

		if (tid == process->pid || plan_is_seen(decider->plan, tid) ||
		    note_scan_error(scan, read_stat(scan, process->pid, tid, &stat)))
			continue;
		book_task(scan, process, tid, stat.start);
	}
}

static int scan_pass(struct scan *scan)
{
	int r = list_processes(scan);

	scan->n_booked = 0;
	for (size_t i = 0; r == 0 && i < scan->count; i++) {
		const struct process *process = &scan->processes[i];

		if (!plan_is_seen(scan->decider->plan, process->pid))
			book_task(scan, process, process->pid, process->start);
		book_threads(scan, process);
	}
	return r;
}

/* Returns whether the process is in this cgroup or below it. */
static bool is_in_cgroup(const struct decider *decider, pid_t pid, const char *cgroup)
{
	struct facts *facts = live_facts_for(decider->facts, pid, pid);

	return facts_need(facts, FACT_CGROUP) == 0 && overrides_is_below(facts->cgroup, cgroup);
}

/*
 * Returns whether it is the user's process, by its real uid; for root any is. Another user's process can be in the
 * app's cgroup only if the user let it in, and reading its cgroup may take long, which the user who reports would pay.
 */
static bool is_users(const struct scan *scan, pid_t pid, uid_t uid)
{
	struct procfs_status status;
	uid_t owner;

	if (!uid)
		return true;
	/* The owner, the effective user, costs far less to read. Set-user-ID programs of others do not matter. */
	if (procfs_owner(scan->decider->proc, pid, &owner) < 0 || (owner && owner != uid))
		return false;
	return owner == uid || (procfs_status(scan->decider->proc, pid, &status, NULL) == 0 && status.real == uid);
}

/*
 * Returns whether a process of the user's in the app's cgroup has a terminal that is not the app's, such as a shell in
 * a terminal program.
 */
static bool has_other_tty(const struct scan *scan, const struct visibility *app, uid_t uid)
{
	for (size_t i = 0; i < scan->count; i++) {
		const struct process *process = &scan->processes[i];

		if (process->tty && process->tty != app->tty && is_users(scan, process->pid, uid) &&
		    is_in_cgroup(scan->decider, process->pid, app->app))
			return true;
	}
	return false;
}

int scan_app(struct tagger *tagger, pid_t pid, uid_t uid, struct visibility *app, char path[PATH_MAX])
{
	struct scan scan = { .decider = &tagger->decider };
	struct procfs_stat stat;
	int r = procfs_stat(tagger->proc, pid, &stat), length = 0;

	if (r < 0)
		return r;
	app->tty = stat.tty;
	if (procfs_cgroup(tagger->proc, pid, path, PATH_MAX, NULL) > 0)
		length = app_cgroup(path);
	if (length < 0)
		app->shown = SHOWN_VISIBLE;
	if (length <= 0)
		return 0;
	path[length] = '\0';
	app->app = path;
	r = list_processes(&scan);
	if (r == 0 && has_other_tty(&scan, app, uid))
		app->app = NULL;
	free(scan.processes);
	return r;
}

/*
 * Returns whether the override covers this process: its own process, or a child of a covered one. For the visibility of
 * an app see struct visibility.
 */
static bool is_of_tree(const struct scan *scan, const struct process *process, uint16_t number)
{
	const struct overrides *overrides = plan_overrides(scan->decider->plan);
	const struct override *override = overrides_get(overrides, number);

	if (process->pid == override->pid)
		return process->start == override->start;
	if (override->kind == OVERRIDE_SHOWN) {
		if ((process->tty && process->tty != override->visibility.tty) ||
		    overrides_is_other_app(overrides, number, process->pid))
			return false;
		if (override->visibility.app)
			return is_users(scan, process->pid, override->uid) &&
			       is_in_cgroup(scan->decider, process->pid, override->visibility.app);
	}
	return plan_override_covers(scan->decider->plan, number, process->ppid);
}

/*
 * Returns whether the process keeps the override of another user: it descends from this override's process, but does
 * not run with the privileges of this override's user alone.
 */
static bool is_anothers(const struct scan *scan, const struct override *override, uint16_t number, pid_t pid)
{
	const struct overrides *overrides = plan_overrides(scan->decider->plan);
	const struct task *leader = tasks_find(plan_tasks(scan->decider->plan), pid);
	const uint16_t joined = leader ? leader->joined[overrides_slot(overrides, number)] : 0;
	struct facts *facts;

	if (!joined || overrides_get(overrides, joined)->uid == override->uid)
		return false;
	facts = live_facts_for(scan->decider->facts, pid, pid);
	return facts_need(facts, FACT_OWNER) < 0 || facts->owner != override->uid;
}

/* Joins all covered processes to the override. Returns the number of processes that have joined. */
static int join_tree(struct scan *scan, uint16_t number)
{
	struct plan *plan = scan->decider->plan;
	int joined = 0;

	for (size_t i = 0; i < scan->count; i++) {
		const struct process *process = &scan->processes[i];
		const bool holds = plan_override_covers(plan, number, process->pid);

		if (!is_of_tree(scan, process, number) ||
		    is_anothers(scan, overrides_get(plan_overrides(plan), number), number, process->pid))
			continue;
		if (!tasks_find(plan_tasks(plan), process->pid)) {
			book_task(scan, process, process->pid, process->start);
			book_threads(scan, process);
		}
		/* A failure means that it has ended, or that we never touch it. */
		joined += plan_override_join(plan, number, process->pid) == 0 && !holds;
	}
	return joined;
}

/*
 * Lists the processes of a pass: all, or only pid unless it is 0. A child that is born meanwhile copies its parent's
 * record when its fork is booked. If that happens before the parent has joined, the next pass finds the child.
 */
static int begin_pass(struct scan *scan, pid_t pid)
{
	decider_drain(scan->decider);
	scan->count = 0;
	return pid ? add_process(scan, pid) : list_processes(scan);
}

int scan_join(struct tagger *tagger, uint16_t number)
{
	const struct override *override = overrides_get(plan_overrides(tagger->decider.plan), number);
	const bool is_tree = override->kind != OVERRIDE_CLASS || override->request.is_tree;
	const pid_t pid = override->pid;
	struct scan scan = { .decider = &tagger->decider };
	int joined = 1, r = 0;

	for (int i = 0; i < PASSES_MAX && r == 0 && joined; i++) {
		r = begin_pass(&scan, is_tree ? 0 : pid);
		joined = r == 0 ? join_tree(&scan, number) : 0;
	}
	free(scan.processes);
	return r < 0 || plan_override_covers(tagger->decider.plan, number, pid) ? r : -ESRCH;
}

int scan_rejoin(struct tagger *tagger)
{
	const struct overrides *overrides = plan_overrides(tagger->decider.plan);
	struct scan scan = { .decider = &tagger->decider };
	int joined = overrides_next_masked(overrides, 0), r = 0;

	/* Each pass handles all masked limits, because a user may have any number. */
	for (int i = 0; i < PASSES_MAX && r == 0 && joined; i++) {
		uint16_t number = 0;

		r = begin_pass(&scan, 0);
		joined = 0;
		while (r == 0 && (number = overrides_next_masked(overrides, number)))
			joined += join_tree(&scan, number);
	}
	free(scan.processes);
	return r;
}

void scan_all(struct tagger *tagger)
{
	struct scan scan = { .decider = &tagger->decider };
	int r = 0;

	/* Booking may report a loss, so clear the mark after it. */
	decider_book(&tagger->decider);
	tagger->decider.events_lost = false;
	tagger->tally.counters.scans++;
	plan_scan_begin(tagger->decider.plan);
	for (int i = 0; i < PASSES_MAX && r == 0; i++) {
		r = scan_pass(&scan);
		decider_drain(&tagger->decider);
		if (scan.n_booked == 0)
			break;
	}
	free(scan.processes);
	note_scan_error(&scan, r);
	if (scan.error)
		problem_report(&tagger->tally.problems[PROBLEM_SCAN], "cannot read /proc: %s", strerror(-scan.error));
	live_facts_note(tagger->decider.facts, scan.error);
	scan_sweep(tagger);
}

int scan_shortage(struct tagger *tagger)
{
	const uint64_t failed = plan_failed(tagger->decider.plan) - tagger->records_failed;
	const int error = live_facts_take_error(tagger->decider.facts);

	tagger->records_failed += failed;
	return error || !failed ? error : -ENOMEM;
}

void scan_sweep(struct tagger *tagger)
{
	const struct tasks *tasks = plan_tasks(tagger->decider.plan);
	_cleanup_free_ pid_t *ended = NULL;
	struct task_attr attr;
	struct task *task;
	uint32_t cursor = 0;
	size_t n = 0;

	while ((task = tasks_next(tasks, &cursor))) {
		pid_t *room = applier_read(&tagger->decider.applier, task->tid, &attr) == -ESRCH
				      ? array_room(ended, n, sizeof(*ended))
				      : NULL;

		if (room) {
			ended = room;
			ended[n++] = task->tid;
		}
	}
	/* Accounting needs the records to find the classes of ended tasks. */
	if (n)
		accounting_receive(&tagger->accounting);
	/* A new task may have got the id meanwhile: look again. */
	for (size_t i = 0; i < n; i++) {
		if (applier_read(&tagger->decider.applier, ended[i], &attr) == -ESRCH)
			plan_exited(tagger->decider.plan, ended[i]);
	}
	tagger->sweep_at = tasks_count(tasks) * 2 + SWEEP_MIN;
}
