/* SPDX-License-Identifier: GPL-2.0-only */
/* What people ask of the plan: how one task stands now. */
#include "plan_private.h"

int plan_detail(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_detail *ret)
{
	int r = plan_look(plan, facts, &task->known, &ret->actual);

	if (r < 0)
		return r;
	ret->changed = attr_difference(&ret->actual, &task->known);
	ret->reason = task->state == TASK_TAGGED && ret->changed ? REASON_CHANGED : task_reason(task);
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
