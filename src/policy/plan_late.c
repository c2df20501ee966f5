/* SPDX-License-Identifier: GPL-2.0-only */
/* Execs and renames that are handled late: decided when all that was queued is known. */
#include "plan_private.h"

/* So long a chain of processes, each born of one that was yet to be decided, is settled in its order. */
#define GENERATIONS_MAX 64

static bool is_postponed(const struct task *task)
{
	return task->flags & (TASK_EXECED | TASK_RENAMED);
}

bool plan_postpone(struct plan *plan, pid_t tid, bool exec)
{
	struct task *task = tasks_find(plan->tasks, tid);

	if (!task)
		return false;
	plan->has_postponed = true;
	/* Twice: between the two it ran something that only execs again, as nice(1) does. */
	if (exec && (task->flags & TASK_EXECED))
		task->flags |= TASK_NICE;
	task->flags |= exec ? TASK_EXECED : TASK_RENAMED;
	return true;
}

/* The parent whose exec was yet to be decided when the task was born, or NULL. Another may have its id by now. */
static struct task *open_parent(const struct plan *plan, const struct task *task)
{
	struct task *parent = task->heir_of ? tasks_find(plan->tasks, task->heir_of) : NULL;

	if (!parent || ((int32_t)(parent->start - task->start) > 0 &&
			!plan_is_same_start(parent->start, task->start)))
		return NULL;
	return parent;
}

/* What has to be decided before this task: its process, or what its process inherits. NULL: nothing. */
static struct task *waits_for(const struct plan *plan, struct task *task)
{
	struct task *first = task->tid == task->tgid ? open_parent(plan, task)
						     : tasks_find(plan->tasks, task->tgid);

	return first && is_postponed(first) ? first : NULL;
}

struct task *plan_next_postponed(struct plan *plan, uint32_t *cursor)
{
	struct task *task, *first;
	uint32_t at;

	if (!plan->has_postponed)
		return NULL;
	do {
		at = *cursor;
		task = tasks_next(plan->tasks, cursor);
	} while (task && !is_postponed(task));
	plan->has_postponed = task;
	if (!task || !waits_for(plan, task))
		return task;
	/* This one is met again when those before it are settled. */
	*cursor = at;
	for (int i = 0; i < GENERATIONS_MAX && (first = waits_for(plan, task)); i++)
		task = first;
	return task;
}

void plan_note_ahead(struct plan *plan, struct task *task, uint32_t ms)
{
	struct task *leader = plan_leader_of(plan, task);

	task->changed_ms = ms;
	task->flags |= TASK_AHEAD;
	if (leader) {
		leader->changed_ms = ms;
		leader->flags |= TASK_AHEAD;
	}
}

bool plan_is_ahead(struct task *task, uint32_t ms)
{
	if ((int32_t)(task->changed_ms - ms) < 0)
		task->flags &= ~TASK_AHEAD;
	return task->flags & TASK_AHEAD;
}

enum cause plan_late_cause(const struct task *task)
{
	return task->flags & TASK_EXECED ? CAUSE_EXEC : CAUSE_RENAME;
}

bool plan_settle(struct plan *plan, struct task *task, struct facts *facts, struct plan_action *ret)
{
	const enum cause cause = plan_late_cause(task);
	const struct task *parent = open_parent(plan, task);

	task->flags &= ~(TASK_EXECED | TASK_RENAMED);
	if (parent)
		task->inherit = parent->inherit;
	task->heir_of = 0;
	if (plan->undoing)
		return false;
	return plan_decide_seen(plan, task, cause, facts, ret);
}
