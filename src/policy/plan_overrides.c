/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes an override holds for: marks them as due when it comes, changes and goes. */
#include "plan_private.h"

#include <errno.h>

/* anew: a class is asked for, which has to take effect whatever its tasks are now. */
static void mark_process(struct plan *plan, struct task *leader, bool anew, uint32_t ms)
{
	for (struct task *task = leader; task && anew; task = tasks_next_thread(plan->tasks, task))
		task->state = TASK_UNDECIDED;
	plan_mark(plan, leader, DUE_MATCH, NULL, ms);
	plan_mark_threads(plan, leader, ms);
}

static void mark_all(struct plan *plan, uint32_t ms)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (task->tid == task->tgid)
			plan_mark(plan, task, DUE_MATCH, NULL, ms);
	}
}

int plan_override_add(struct plan *plan, const struct override *override, uint32_t ms, uint16_t *ret_number)
{
	int r = overrides_add(plan->overrides, override, ret_number);

	if (r < 0)
		return r;
	plan->was_overridden = true;
	r = plan_give_classes(plan, plan->config);
	if (r < 0) {
		overrides_remove(plan->overrides, *ret_number);
		return r;
	}
	if (override->cgroup)
		mark_all(plan, ms);
	return 0;
}

int plan_override_change(struct plan *plan, uint16_t number, const char *qos, uint32_t ms)
{
	const bool anew = overrides_get(plan->overrides, number)->kind == OVERRIDE_CLASS;
	uint32_t cursor = 0;
	struct task *task;
	int r = overrides_change(plan->overrides, number, qos);

	while (r == 0 && (task = tasks_next(plan->tasks, &cursor))) {
		if (overrides_has(plan->overrides, task->overrides, number))
			mark_process(plan, task, anew, ms);
	}
	return r;
}

int plan_override_join(struct plan *plan, uint16_t number, pid_t tgid, uint32_t ms)
{
	struct task *leader = tasks_find(plan->tasks, tgid);
	int r;

	if (!leader || leader->tgid != tgid)
		return -ESRCH;
	r = overrides_join(plan->overrides, leader->overrides, number, &leader->overrides);
	if (r == 0)
		mark_process(plan, leader, overrides_get(plan->overrides, number)->kind == OVERRIDE_CLASS, ms);
	return r;
}

bool plan_override_holds(const struct plan *plan, uint16_t number, pid_t tgid)
{
	const struct task *leader = tasks_find(plan->tasks, tgid);

	return leader && overrides_has(plan->overrides, leader->overrides, number);
}

const char *plan_override_max(const struct plan *plan, pid_t tgid)
{
	const struct task *leader = tasks_find(plan->tasks, tgid);
	const struct qos_class *max = leader ? overrides_max(plan->overrides, leader->overrides) : NULL;

	return max ? max->name : NULL;
}

void plan_look_at(struct plan *plan, pid_t tgid, uint32_t ms)
{
	struct task *leader = tasks_find(plan->tasks, tgid);

	if (leader)
		plan_mark(plan, leader, DUE_LOOK, NULL, ms);
}

enum plan_objection plan_override_objection(const struct plan *plan, pid_t tgid, const struct qos_class *class,
					    uint8_t *ret_raised)
{
	const struct task *leader = tasks_find(plan->tasks, tgid);
	struct attr_caps caps = *plan->caps;
	struct task_attr want;
	uid_t uid;

	if (!leader || leader->tgid != tgid)
		return OBJECTION_UNKNOWN;
	if (leader->due != DUE_NOTHING || (leader->flags & TASK_UNCERTAIN))
		return OBJECTION_NOT_YET;
	if (!task_policy_is_fair(leader->had.policy))
		return OBJECTION_NOT_FAIR;
	if (overrides_tag(plan->overrides, leader->overrides, &uid) != TAG_NONE && uid == 0)
		return OBJECTION_ROOT;
	if (plan_is_enforced(plan, leader))
		return OBJECTION_ENFORCED;
	/* It may be the first class that gives one: see struct attr_caps. */
	caps.io_priority = true;
	want = qos_attr_over(&class->attr, &leader->had, &caps);
	*ret_raised = attr_raised(&leader->had, &want);
	return *ret_raised ? OBJECTION_RAISES : OBJECTION_NONE;
}

uid_t plan_override_uid(const struct plan *plan, pid_t tgid)
{
	const struct task *leader = tasks_find(plan->tasks, tgid);
	uid_t uid = 0;

	if (leader)
		overrides_tag(plan->overrides, leader->overrides, &uid);
	return uid;
}

const char *plan_override_class(const struct plan *plan, uint16_t number)
{
	return overrides_get(plan->overrides, number)->qos;
}

void plan_take_overrides(struct plan *plan, struct plan *from, uint32_t ms)
{
	struct overrides *none = plan->overrides;
	const struct task *old;
	uint32_t cursor = 0;

	plan->overrides = from->overrides;
	from->overrides = none;
	plan->was_overridden = from->was_overridden;
	overrides_follow(plan->overrides, plan->config->classes, plan->config->n_classes, plan->config->rules);
	plan_give_classes(plan, plan->config);
	while ((old = tasks_next(from->tasks, &cursor))) {
		struct task *task = old->overrides ? tasks_find(plan->tasks, old->tid) : NULL;

		if (!task || task->tgid != task->tid || !plan_is_same_start(old->start, task->start))
			continue;
		task->overrides = old->overrides;
		mark_process(plan, task, true, ms);
	}
}

void plan_override_remove(struct plan *plan, uint16_t number, uint32_t ms)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (!overrides_has(plan->overrides, task->overrides, number))
			continue;
		mark_process(plan, task, false, ms);
		task->overrides = overrides_without(plan->overrides, task->overrides, number);
	}
	overrides_remove(plan->overrides, number);
}
