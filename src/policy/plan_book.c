/* SPDX-License-Identifier: GPL-2.0-only */
/* Booking events: records are copied and marked, in the order of time, without a system call. */
#include "plan_private.h"

/*
 * A fork event is later than the start time in /proc, by the rest of copy_process. Both are cut to clock ticks, and the
 * offset between the two clocks is measured with an error.
 */
#define START_EARLY_TICKS 1

/* Of a fork that is preempted before it sends its event; but no id is reused so soon. */
#define START_LATE_TICKS 50

#define KTHREADD 2

bool plan_is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid)
{
	return tgid == plan->self || tgid == KTHREADD || (tid == tgid && parent_tgid == KTHREADD);
}

bool plan_tid_is_reused(const struct plan *plan, pid_t tid, uint64_t start)
{
	const struct task *task = tasks_find(plan->tasks, tid);

	return task && !plan_is_same_start(task->start, (uint32_t)start);
}

bool plan_is_same_start(uint32_t recorded, uint32_t from_proc)
{
	return (int32_t)(recorded - from_proc) >= -START_EARLY_TICKS;
}

/* Whether a fork event can be that of a task which a scan found before. */
static bool is_birth_of(const struct task *found, const struct task_event *fork)
{
	return (found->flags & TASK_SCANNED) && plan_is_same_start(fork->start, found->start) &&
	       (int32_t)(fork->start - found->start) <= START_LATE_TICKS;
}

/* Whether an event at ms happened less than `within` after a change, or before it. */
static bool is_after_by_less(uint32_t ms, uint32_t change_ms, int32_t within)
{
	return (int32_t)(ms - change_ms) < within;
}

/* ---- fork ---- */

struct task plan_copy(struct plan *plan, const struct task *origin, const struct task *leader, pid_t tid, pid_t tgid)
{
	struct task child = *origin;

	child.tid = tid;
	child.tgid = tgid;
	child.app = leader->app;
	child.inherit = leader->inherit;
	child.limit = leader->limit;
	child.override = child.limited_by = 0;
	child.had = attr_after_fork(&origin->had);
	child.known = attr_after_fork(&origin->known);
	child.before = attr_after_fork(&origin->before);
	child.flags = TASK_COPIED | (origin->flags & TASK_UNCERTAIN);
	child.due = DUE_NOTHING;
	if (tid == tgid) {
		child.limited_by = leader->limited_by;
		if (overrides_is_handed_on(plan->overrides, leader->override))
			child.override = leader->override;
	}
	return child;
}

/* What is to be decided about a child that copied its origin's record. */
static enum due due_at_birth(const struct plan *plan, const struct task_event *fork, const struct task *child,
			     const struct task *origin, const struct task *leader, bool mixed)
{
	enum due due = origin->due < DUE_ENDED ? origin->due : DUE_NOTHING;

	if (due == DUE_NOTHING && ((child->flags & TASK_UNCERTAIN) || origin->known.reset_on_fork))
		due = DUE_LOOK;
	if (fork->tid != fork->tgid) {
		if (due < DUE_MATCH && mixed && plan_has_thread_rules(plan, leader))
			due = DUE_MATCH;
		return due;
	}
	/* Not every class is handed on. */
	if (due < DUE_MATCH && child->override != leader->override)
		due = DUE_MATCH;
	if (due < leader->due && leader->due < DUE_ENDED && leader->due >= DUE_MATCH)
		due = leader->due;
	/* If the parent was matched after the fork, its program may have changed in between. */
	if (due < DUE_MATCH && is_after_by_less(fork->ms, leader->matched_ms, 1))
		due = DUE_MATCH;
	return due;
}

/* Makes room for the record of a newborn. Returns whether it is to have one, and has none yet. */
static bool replace_record(struct plan *plan, const struct task_event *fork)
{
	struct task *old = tasks_find(plan->tasks, fork->tid);
	const bool is_excluded = plan_is_excluded(plan, fork->tid, fork->tgid, fork->parent_tgid) ||
				 fork->parent_tgid == plan->self;

	if (old && !is_excluded && is_birth_of(old, fork)) {
		/* A scan found it before its event came, and what the scan found is newer. */
		old->flags &= ~TASK_SCANNED;
		return false;
	}
	/* It is of an earlier task with this id. A kernel thread must not get what that one had. */
	if (old)
		tasks_remove(plan->tasks, old);
	return !is_excluded;
}

static void book_fork(struct plan *plan, const struct task_event *fork)
{
	const bool is_thread = fork->tid != fork->tgid;
	struct task *origin, *leader, *task;
	struct task child;
	enum due due;
	bool mixed;

	if (!replace_record(plan, fork))
		return;
	/* The event does not name a thread's creator; most likely it copied the same as the leader carries. */
	leader = tasks_find(plan->tasks, is_thread ? fork->tgid : fork->parent_tgid);
	if (!leader) {
		plan_push(plan, &plan->from_events, plan_due_of(fork->tid, fork->tgid, NULL), fork->ms);
		return;
	}
	origin = is_thread ? leader : tasks_find(plan->tasks, fork->parent_tid);
	if (!origin)
		origin = leader;
	child = plan_copy(plan, origin, leader, fork->tid, fork->tgid);
	child.start = fork->start;
	child.changed_ms = child.matched_ms = fork->ms - FORK_MAX_MS;
	mixed = is_thread && plan_is_mixed(plan, leader);
	/* Comparing with the youngest thread will not show it any more. */
	if (mixed)
		leader->flags |= TASK_MIXED;
	/* During the undo a fork may have begun before its origin was put back, however long ago that was. */
	if (mixed || plan->undoing || is_after_by_less(fork->ms, origin->changed_ms, FORK_MAX_MS))
		child.flags |= TASK_UNCERTAIN;
	due = due_at_birth(plan, fork, &child, origin, leader, mixed);
	task = tasks_put(plan->tasks, &child);
	if (task && due != DUE_NOTHING)
		plan_mark(plan, task, due, due == DUE_EXEC && !is_thread ? leader : NULL, fork->ms);
}

/* ---- exec ---- */

/*
 * exec ends all other threads. Any of them may have called it: that thread takes the leader's id and keeps its own
 * attributes. So if the threads differ, their records are kept until we have found out which one it was.
 */
static void end_threads(struct plan *plan, struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader), *next;
	const bool mixed = plan_is_mixed(plan, leader);

	if (mixed)
		leader->flags |= TASK_UNCERTAIN;
	for (; thread; thread = next) {
		next = tasks_next_thread(plan->tasks, thread);
		if (mixed || thread->due == DUE_ENDED)
			thread->due = DUE_ENDED;
		else
			tasks_remove(plan->tasks, thread);
	}
	leader->flags &= ~TASK_MIXED;
}

static void book_exec(struct plan *plan, const struct task_event *exec)
{
	struct task *leader = tasks_find(plan->tasks, exec->tgid);

	if (exec->tgid == plan->self)
		return;
	/* No record: started by the kernel (a usermode helper), or its fork event was lost. */
	if (!leader) {
		plan_push(plan, &plan->from_events, plan_due_of(exec->tgid, exec->tgid, NULL), exec->ms);
		return;
	}
	end_threads(plan, leader);
	plan_mark(plan, leader, DUE_EXEC, NULL, exec->ms);
}

/* ---- rename ---- */

static void book_rename(struct plan *plan, const struct task_event *rename)
{
	struct task *task = tasks_find(plan->tasks, rename->tid), *leader;
	const struct rule *rule;
	struct assignment assignment;

	/* If the task is to be matched anyway, its name is read then. */
	if (!task || task->due >= DUE_MATCH || plan->undoing)
		return;
	leader = plan_leader_of(plan, task);
	if (leader && leader->due >= DUE_MATCH) {
		plan_mark(plan, task, DUE_MATCH, NULL, rename->ms);
		return;
	}
	rule = plan_rule_of(plan, leader ? leader->app : 0);
	if (!plan_uses_renames(rule))
		return;
	assignment = plan_assign(plan, leader, rename->comm);
	if (assignment.tag == task->own && assignment.rule == task->rule)
		return;
	task->own = assignment.tag;
	task->rule = assignment.rule;
	task->assigned_by = assignment.by;
	/* So that it takes effect, whatever else the task becomes due for. */
	task->state = TASK_UNDECIDED;
	plan_mark(plan, task, DUE_LOOK, NULL, rename->ms);
}

/* ---- move between cgroups ---- */

/* The event names the leader; or any thread, if that was moved alone. */
static void book_move(struct plan *plan, const struct task_event *move)
{
	struct task *task = tasks_find(plan->tasks, move->tid);
	struct task *leader = task ? plan_leader_of(plan, task) : NULL;

	if (leader && !plan->undoing)
		plan_mark(plan, leader, DUE_MATCH, NULL, move->ms);
}

void plan_book(struct plan *plan, const struct task_event *event)
{
	switch (event->what) {
	case EVENT_FORK:
		book_fork(plan, event);
		break;
	case EVENT_EXEC:
		book_exec(plan, event);
		break;
	case EVENT_RENAME:
		book_rename(plan, event);
		break;
	case EVENT_MOVE:
		book_move(plan, event);
		break;
	}
}
