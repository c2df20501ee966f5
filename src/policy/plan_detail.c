/* SPDX-License-Identifier: GPL-2.0-only */
/* What people ask of the plan: one task as it is now, or one that does not exist. */
#include "plan_private.h"

int plan_reason(const struct plan *plan, const struct task *task, struct facts *facts)
{
	struct task_attr actual;
	int r = plan_look(plan, facts, &task->known, &actual);

	if (r < 0)
		return r;
	if (task->state == TASK_TAGGED && attr_difference(&actual, &task->known))
		return REASON_CHANGED;
	return task_reason(task);
}

int plan_detail(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_detail *ret)
{
	int r = plan_reason(plan, task, facts);

	if (r < 0)
		return r;
	ret->reason = (enum reason)r;
	plan_look(plan, facts, &task->known, &ret->actual);
	ret->changed = attr_difference(&ret->actual, &task->known);
	ret->want = plan_target(plan, task, false);
	ret->class = task->had;
	ret->withheld = 0;
	if (task->tag != TAG_NONE) {
		const struct task_attr allowed = plan_class_over(plan, task);

		ret->class = qos_attr_over(plan_tag_attr(plan, task->tag), &task->had, plan->caps);
		ret->withheld = attr_difference(&ret->class, &allowed);
	}
	return 0;
}

const struct task *plan_rehearse(struct plan *plan, struct facts *facts)
{
	const struct plan_found found = { .tid = facts->tid, .tgid = facts->tgid };
	struct plan_action action;
	struct plan_due due;

	plan_scan_begin(plan, false);
	plan_book_found(plan, &found, facts);
	if (!plan_next(plan, &due))
		return NULL;
	if (plan_decide(plan, &due, facts, &action))
		plan_applied(plan, &action, 0, &action.want);
	return tasks_find(plan->tasks, facts->tid);
}
