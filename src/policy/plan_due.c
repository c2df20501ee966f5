/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks are due, in what order, and which of them have to wait. */
#include "plan_private.h"

#include <stdlib.h>

/* Pids are allocated in sequence: even the smallest pid_max, 301, does not wrap within this time. */
#define LATE_MS 10

/* If events keep coming faster than we book them, late ones must not wait for ever, or no task would be tagged. */
#define BEHIND_MAX_MS 2000

/* Older times are all treated alike. */
#define LONG_AGO_MS (UINT32_C(1) << 30)

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

struct plan_due plan_due_of(pid_t tid, pid_t tgid, const struct task *parent)
{
	return (struct plan_due){ tid, tgid, parent ? parent->tgid : 0, parent ? parent->start : 0 };
}

/*
 * A task that was gone when we decided, or whose facts could not be read, stays due but is no longer queued: an exec or
 * a scan queues it again.
 */
void plan_mark(struct plan *plan, struct task *task, enum due due, const struct task *parent, uint32_t ms)
{
	if (task->due == DUE_NOTHING || due == DUE_EXEC)
		plan_push(plan, &plan->from_events, plan_due_of(task->tid, task->tgid, parent), ms);
	if (task->due < due)
		task->due = due;
}

static void bring_forward(uint32_t *time_ms, uint32_t ms)
{
	int32_t age = (int32_t)(ms - *time_ms);

	if (age > (int32_t)LONG_AGO_MS)
		*time_ms = ms - LONG_AGO_MS;
}

/* After 24.8 days a time in the past would look like one in the future. */
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

bool plan_is_time(struct plan *plan, bool is_empty, uint32_t ms)
{
	bring_times_forward(plan, ms);
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

		if (!task || (task->due != DUE_NOTHING && task->due != DUE_ENDED))
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
