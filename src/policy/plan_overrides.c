/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts overrides and units' classes into the records of the plan, and marks the processes that they cover as due. */
#include "plan_private.h"

#include <errno.h>

/* Marks a process and its threads as due. anew: a new class takes effect, whatever the state of the tasks. */
static void rematch_process(struct plan *plan, struct task *leader, bool anew)
{
	for (struct task *task = leader; task && anew; task = tasks_next_thread(plan->tasks, task))
		task->state = TASK_UNDECIDED;
	plan_make_due(plan, leader, DUE_MATCH);
	plan_mark_threads(plan, leader);
}

int plan_override_add(struct plan *plan, const struct override *override, uint16_t *ret_number)
{
	int r = overrides_add(plan->overrides, override, ret_number);

	if (r < 0)
		return r;
	if (override_cgroup(override))
		plan_mark_processes(plan);
	return 0;
}

bool plan_override_covers(const struct plan *plan, uint16_t number, pid_t tgid)
{
	const struct task *leader = tasks_leader(plan->tasks, tgid);

	return leader && overrides_cover(plan->overrides, leader, number);
}

int plan_override_join(struct plan *plan, uint16_t number, pid_t tgid)
{
	struct task *leader = tasks_leader(plan->tasks, tgid);

	if (!leader)
		return -ESRCH;
	if (overrides_cover(plan->overrides, leader, number))
		return 0;
	leader->joined[overrides_slot(plan->overrides, number)] = number;
	rematch_process(plan, leader, overrides_get(plan->overrides, number)->kind == OVERRIDE_CLASS);
	return 0;
}

struct overrides *plan_overrides(const struct plan *plan)
{
	return plan->overrides;
}

/* Clears the tag of all the process's tasks: even the same class then counts as another, as it may raise less now. */
static void forget_class(struct plan *plan, struct task *leader)
{
	for (struct task *task = leader; task; task = tasks_next_thread(plan->tasks, task))
		task->tag = TAG_NONE;
}

void plan_remove_ended(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (overrides_leave(plan->overrides, task)) {
			forget_class(plan, task);
			rematch_process(plan, task, false);
		} else if (task->flags & TASK_COPY) {
			/* A process of the override may have made it with CLONE_PARENT, which no event reports. */
			plan_make_due(plan, task, DUE_LOOK);
		}
	}
	if (overrides_remove_ended(plan->overrides))
		plan_mark_processes(plan);
}

int plan_set_units(struct plan *plan, uid_t uid, const struct unit_class *units, size_t n)
{
	int r = units_put(&plan->units, plan->config, uid, units, n);

	if (r == 0)
		plan_mark_processes(plan);
	return r;
}
