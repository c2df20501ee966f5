/* SPDX-License-Identifier: GPL-2.0-only */
/* Events keep the books: records are copied and marked, in the order of time, without a system call. */
#include "plan_private.h"

#include <stdlib.h>
#include <string.h>

/*
 * fork copies the attributes early in copy_process and sends its event at the end, after the memory maps of the parent,
 * which takes a big process many milliseconds. So a fork that is heard of within this time after a change of its parent's
 * record may be older than that.
 */
#define FORK_MAX_MS 2000

/* What was so long ago might as well have been earlier. */
#define LONG_AGO_MS (UINT32_C(1) << 30)

/* Ids are handed out in turn: in this time not even the smallest pid_max, 301, wraps. */
#define LATE_MS 10

/* Under a storm that outruns us, nobody would be tagged if late events waited for ever. */
#define BEHIND_MAX_MS 2000

/*
 * An event's time lies behind the start time that /proc shows, by what copy_process still had to
 * do; both are cut to clock ticks, and the clocks' distance is measured with an error.
 */
#define START_EARLY_TICKS 1
#define START_LATE_TICKS  2

#define KTHREADD 2

bool plan_is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid)
{
	return tgid == plan->self || tgid == KTHREADD || (tid == tgid && parent_tgid == KTHREADD);
}

bool plan_is_another(const struct plan *plan, pid_t tid, uint64_t start)
{
	const struct task *task = tasks_find(plan->tasks, tid);

	return task && !plan_is_same_start(task->start, (uint32_t)start);
}

bool plan_is_same_start(uint32_t from_event, uint32_t from_proc)
{
	int32_t late = (int32_t)(from_event - from_proc);

	return late >= -START_EARLY_TICKS && late <= START_LATE_TICKS;
}

/* Whether an event at ms happened less than `within` after a change, or before it. */
static bool is_after_by_less(uint32_t ms, uint32_t change_ms, int32_t within)
{
	return (int32_t)(ms - change_ms) < within;
}

static void bring_forward(uint32_t *time_ms, uint32_t ms)
{
	int32_t age = (int32_t)(ms - *time_ms);

	if (age > (int32_t)LONG_AGO_MS)
		*time_ms = ms - LONG_AGO_MS;
}

/* After 24.8 days what has been would seem to be still to come. */
static void bring_times_forward(struct plan *plan, uint32_t ms)
{
	uint32_t cursor = 0;
	struct task *task;

	if (ms - plan->aged_ms < LONG_AGO_MS / 2)
		return;
	plan->aged_ms = ms;
	while ((task = tasks_next(plan->tasks, &cursor))) {
		bring_forward(&task->changed_ms, ms);
		bring_forward(&task->matched_ms, ms);
	}
}

/* ---- who is due ---- */

static bool has_room(struct marks *marks)
{
	size_t size = marks->size ? marks->size * 2 : 256;
	struct mark *all;

	if (marks->first == marks->count)
		marks->first = marks->count = 0;
	if (marks->count < marks->size)
		return true;
	all = reallocarray(marks->all, size, sizeof(*all));
	if (!all)
		return false;
	marks->all = all;
	marks->size = size;
	return true;
}

void plan_push(struct plan *plan, struct marks *marks, const struct mark *mark)
{
	if (has_room(marks))
		marks->all[marks->count++] = *mark;
	else
		plan->marks_failed++;
}

void plan_name_parent(struct plan_due *due, const struct task *parent)
{
	due->parent = parent ? parent->tgid : 0;
	due->parent_start = parent ? parent->start : 0;
}

static void mark_id(struct plan *plan, pid_t tid, pid_t tgid, const struct task *parent, uint32_t ms)
{
	struct mark mark = { .due = { .tid = tid, .tgid = tgid }, .ms = ms };

	plan_name_parent(&mark.due, parent);
	plan_push(plan, &plan->heard, &mark);
}

/* One that could not be decided, because it was gone or a fact could not be had, is still due, but no longer queued. */
void plan_mark(struct plan *plan, struct task *task, enum due due, const struct task *parent, uint32_t ms)
{
	if (task->due == DUE_NOTHING || due == DUE_EXEC)
		mark_id(plan, task->tid, task->tgid, parent, ms);
	if (task->due < due)
		task->due = due;
}

bool plan_is_time(struct plan *plan, bool is_empty, uint32_t ms)
{
	bring_times_forward(plan, ms);
	if (!is_empty && !plan->is_behind)
		plan->behind_ms = ms;
	plan->is_behind = !is_empty && ms - plan->behind_ms < BEHIND_MAX_MS;
	return !plan->is_behind;
}

/* The first of them who is still due. NULL: there is none. */
static const struct mark *first_due(const struct plan *plan, struct marks *marks)
{
	for (; marks->first < marks->count; marks->first++) {
		const struct mark *mark = &marks->all[marks->first];
		const struct task *task = tasks_find(plan->tasks, mark->due.tid);

		if (!task || (task->due != DUE_NOTHING && task->due != DUE_ENDED))
			return mark;
	}
	return NULL;
}

bool plan_next(struct plan *plan, bool is_time, uint32_t ms, struct plan_due *ret)
{
	struct marks *marks = &plan->heard;
	const struct mark *mark = first_due(plan, marks);

	if (!mark || (!is_time && (int32_t)(ms - mark->ms) > LATE_MS)) {
		marks = &plan->met;
		mark = first_due(plan, marks);
	}
	if (!mark)
		return false;
	*ret = mark->due;
	marks->first++;
	return true;
}

/* ---- threads ---- */

bool plan_differ(const struct task *a, const struct task *b)
{
	return attr_difference(&a->known, &b->known) || attr_difference(&a->had, &b->had) ||
	       a->theirs != b->theirs || a->tag != b->tag;
}

/* If all are alike but the leader's, the youngest shows it. */
bool plan_is_mixed(const struct plan *plan, const struct task *leader)
{
	const struct task *thread = tasks_next_thread(plan->tasks, leader);

	return (leader->flags & TASK_MIXED) || (thread && plan_differ(leader, thread));
}

/* ---- fork ---- */

struct task plan_copy(const struct task *origin, const struct task *leader, pid_t tid, pid_t tgid)
{
	struct task child = *origin;

	child.tid = tid;
	child.tgid = tgid;
	child.app = leader->app;
	child.inherit = leader->inherit;
	child.had = attr_born(&origin->had);
	child.known = attr_born(&origin->known);
	child.before = attr_born(&origin->before);
	child.flags = TASK_COPIED | (origin->flags & TASK_HEARSAY);
	child.due = DUE_NOTHING;
	return child;
}

void plan_inherit(const struct plan *plan, struct task *task, const struct plan_due *due)
{
	const struct task *parent = due->parent ? tasks_find(plan->tasks, due->parent) : NULL;

	/* Another may have its id by now. */
	if (!parent || !plan_is_same_start(due->parent_start, parent->start))
		return;
	/* One that was met, and not born of one who was due, may have inherited another rule before. */
	if (task->due == DUE_EXEC || !task->inherit)
		task->inherit = parent->inherit;
}

/* What is to be decided about a child whose record is its origin's. */
static enum due due_at_birth(const struct plan *plan, const struct task_event *fork, const struct task *child,
			     const struct task *origin, const struct task *leader, bool mixed)
{
	enum due due = origin->due < DUE_ENDED ? origin->due : DUE_NOTHING;

	if (due == DUE_NOTHING && ((child->flags & TASK_HEARSAY) || origin->known.reset_on_fork))
		due = DUE_LOOK;
	if (fork->tid != fork->tgid) {
		if (due < DUE_MATCH && mixed && plan_asks_name(plan, leader))
			due = DUE_MATCH;
		return due;
	}
	if (due < leader->due && leader->due < DUE_ENDED && leader->due >= DUE_MATCH)
		due = leader->due;
	/* What was read of its parent may be a program that its parent has become since the fork. */
	if (due < DUE_MATCH && is_after_by_less(fork->ms, leader->matched_ms, 1))
		due = DUE_MATCH;
	return due;
}

static void book_fork(struct plan *plan, const struct task_event *fork)
{
	const bool is_thread = fork->tid != fork->tgid;
	struct task *old = tasks_find(plan->tasks, fork->tid), *origin, *leader, *task;
	struct task child;
	enum due due;
	bool mixed;

	if (plan_is_excluded(plan, fork->tid, fork->tgid, fork->parent_tgid) || fork->parent_tgid == plan->self) {
		/* A kernel thread must not get what a task had that was called so before. */
		if (old)
			tasks_remove(plan->tasks, old);
		return;
	}
	if (old && (old->flags & TASK_SCANNED) && plan_is_same_start(fork->start, old->start)) {
		/* A scan met it before its event came; what the scan found is newer. */
		old->flags &= ~TASK_SCANNED;
		return;
	}
	if (old)
		tasks_remove(plan->tasks, old);
	/* A thread's creator is not in the event; what it copied is most likely what the leader carries. */
	leader = tasks_find(plan->tasks, is_thread ? fork->tgid : fork->parent_tgid);
	origin = is_thread ? leader : tasks_find(plan->tasks, fork->parent_tid);
	if (!leader) {
		mark_id(plan, fork->tid, fork->tgid, NULL, fork->ms);
		return;
	}
	if (!origin)
		origin = leader;
	child = plan_copy(origin, leader, fork->tid, fork->tgid);
	child.start = fork->start;
	child.changed_ms = child.matched_ms = fork->ms - FORK_MAX_MS;
	mixed = is_thread && plan_is_mixed(plan, leader);
	/* The youngest will no longer show it. */
	if (mixed)
		leader->flags |= TASK_MIXED;
	/* At the stop a fork may have taken however long since its origin was put back. */
	if (mixed || plan->undoing || is_after_by_less(fork->ms, origin->changed_ms, FORK_MAX_MS))
		child.flags |= TASK_HEARSAY;
	due = due_at_birth(plan, fork, &child, origin, leader, mixed);
	task = tasks_put(plan->tasks, &child);
	if (task && due != DUE_NOTHING)
		plan_mark(plan, task, due, due == DUE_EXEC && !is_thread ? leader : NULL, fork->ms);
}

/* ---- exec ---- */

/*
 * The other threads have ended. Any of them may have called exec: it takes the leader's id and keeps what it carries. So
 * where they differ, their records are kept until it is decided which of them it was.
 */
static void end_threads(struct plan *plan, struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader), *next;
	const bool mixed = plan_is_mixed(plan, leader);

	if (mixed)
		leader->flags |= TASK_HEARSAY;
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
	/* The parent is not known either: a kernel helper, or a fork that was lost. */
	if (!leader) {
		mark_id(plan, exec->tgid, exec->tgid, NULL, exec->ms);
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
	struct wish wish;

	/* If its process is to be matched, its name is read then. */
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
	wish = plan_wish(plan, leader, rename->comm);
	if (wish.tag == task->tag && wish.rule == task->rule) {
		if (rule->enforce)
			plan_mark(plan, task, DUE_LOOK, NULL, rename->ms);
		return;
	}
	task->tag = wish.tag;
	task->rule = wish.rule;
	task->wished_by = wish.by;
	plan_mark(plan, task, DUE_CLASS, NULL, rename->ms);
}

void plan_hear(struct plan *plan, const struct task_event *event)
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
	}
}
