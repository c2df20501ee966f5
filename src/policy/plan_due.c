/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks are due, in what order, and which of them have to wait. */
#include "plan_private.h"

#include <stdlib.h>

/*
 * A fork event is later than the start time in /proc, by the rest of copy_process. Both are cut to clock ticks, and the
 * offset between the two clocks is measured with an error.
 */
#define START_EARLY_TICKS 1

/* Pids are allocated in sequence: even the smallest pid_max, 301, does not wrap within this time. */
#define LATE_MS 10

/* If events keep coming faster than we book them, late ones must not wait for ever, or no task would be tagged. */
#define BEHIND_MAX_MS 2000

struct task *plan_leader_of(const struct plan *plan, const struct task *task)
{
	return tasks_find(plan->tasks, task->tgid);
}

bool plan_is_same_start(uint32_t recorded, uint32_t from_proc)
{
	return (int32_t)(recorded - from_proc) >= -START_EARLY_TICKS;
}

bool plan_tid_is_reused(const struct plan *plan, pid_t tid, uint64_t start)
{
	const struct task *task = tasks_find(plan->tasks, tid);

	return task && !plan_is_same_start(task->start, (uint32_t)start);
}

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

void plan_push(struct plan *plan, struct marks *marks, struct plan_due due, uint32_t ms)
{
	if (has_room(marks))
		marks->all[marks->count++] = (struct mark){ due, ms };
	else
		plan->marks_failed++;
}

/*
 * A task that was gone when we decided, or whose facts could not be read, stays due but is no longer queued: an exec or
 * a scan queues it again.
 */
static void mark(struct plan *plan, struct task *task, enum due due, struct plan_due pushed, uint32_t ms)
{
	if (task->due == DUE_NOTHING || due == DUE_EXEC)
		plan_push(plan, &plan->from_events, pushed, ms);
	if (task->due < due)
		task->due = due;
}

void plan_mark(struct plan *plan, struct task *task, enum due due, uint32_t ms)
{
	mark(plan, task, due, (struct plan_due){ .tid = task->tid, .tgid = task->tgid }, ms);
}

void plan_mark_born(struct plan *plan, struct task *task, enum due due, const struct task *origin, uint32_t ms)
{
	struct plan_due pushed = { .tid = task->tid, .tgid = task->tgid, .origin = origin->tid };
	const struct task *parent = task->tid == task->tgid ? plan_leader_of(plan, origin) : NULL;

	if (parent) {
		pushed.parent = parent->tid;
		pushed.parent_start = parent->start;
	}
	mark(plan, task, due, pushed, ms);
}

void plan_mark_threads(struct plan *plan, const struct task *leader, uint32_t ms)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader);

	for (; thread; thread = tasks_next_thread(plan->tasks, thread))
		plan_mark(plan, thread, DUE_MATCH, ms);
}

void plan_mark_processes(struct plan *plan, uint32_t ms)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (task->tid == task->tgid)
			plan_mark(plan, task, DUE_MATCH, ms);
	}
}

bool plan_is_time(struct plan *plan, bool is_empty, uint32_t ms)
{
	if (!is_empty && !plan->is_behind)
		plan->behind_ms = ms;
	plan->is_behind = !is_empty && ms - plan->behind_ms < BEHIND_MAX_MS;
	return !plan->is_behind;
}

/* The first mark whose task is still due, or NULL. */
static const struct mark *first_due(const struct plan *plan, struct marks *marks)
{
	for (; marks->first < marks->count; marks->first++) {
		const struct mark *mark = &marks->all[marks->first];
		const struct task *task = tasks_find(plan->tasks, mark->due.tid);

		if (!task || (task->due != DUE_NOTHING && !(task->flags & TASK_ENDED)))
			return mark;
	}
	return NULL;
}

bool plan_next(struct plan *plan, bool is_time, uint32_t ms, struct plan_due *ret)
{
	struct marks *marks = &plan->from_events;
	const struct mark *mark = first_due(plan, marks);

	if (!mark || (!is_time && (int32_t)(ms - mark->ms) > LATE_MS)) {
		marks = &plan->from_scan;
		mark = first_due(plan, marks);
	}
	if (!mark)
		return false;
	*ret = mark->due;
	marks->first++;
	return true;
}
