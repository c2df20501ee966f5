/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks are due, in what order, and which of them have to wait. */
#include "plan_private.h"

#include <stdlib.h>

/*
 * A fork event is later than the start time in /proc, by the rest of copy_process. Both are cut to clock ticks, and the
 * offset between the two clocks is measured with an error.
 */
#define START_EARLY_TICKS 1

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
	struct plan_due *all;

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

void plan_push(struct plan *plan, struct plan_due due)
{
	if (has_room(&plan->marks))
		plan->marks.all[plan->marks.count++] = due;
	else
		plan->marks_failed++;
}

/*
 * A task that was gone when we decided, or whose facts could not be read, stays due but is no longer queued: an exec or
 * a scan queues it again.
 */
static void mark(struct plan *plan, struct task *task, enum due due, struct plan_due pushed)
{
	if (task->due == DUE_NOTHING || due == DUE_EXEC)
		plan_push(plan, pushed);
	if (task->due < due)
		task->due = due;
}

void plan_mark(struct plan *plan, struct task *task, enum due due)
{
	mark(plan, task, due, (struct plan_due){ .tid = task->tid, .tgid = task->tgid });
}

void plan_mark_born(struct plan *plan, struct task *task, enum due due, const struct task *origin)
{
	struct plan_due pushed = { .tid = task->tid, .tgid = task->tgid, .origin = origin->tid };
	const struct task *parent = task->tid == task->tgid ? plan_leader_of(plan, origin) : NULL;

	if (parent) {
		pushed.parent = parent->tid;
		pushed.parent_start = parent->start;
	}
	mark(plan, task, due, pushed);
}

void plan_mark_threads(struct plan *plan, const struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader);

	for (; thread; thread = tasks_next_thread(plan->tasks, thread))
		plan_mark(plan, thread, DUE_MATCH);
}

void plan_mark_processes(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (task->tid == task->tgid)
			plan_mark(plan, task, DUE_MATCH);
	}
}

bool plan_next(struct plan *plan, struct plan_due *ret)
{
	struct marks *marks = &plan->marks;

	while (marks->first < marks->count) {
		const struct plan_due *due = &marks->all[marks->first++];
		const struct task *task = tasks_find(plan->tasks, due->tid);

		*ret = *due;
		if (!task || (task->due != DUE_NOTHING && !(task->flags & TASK_ENDED)))
			return true;
	}
	return false;
}
