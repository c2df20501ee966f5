/* SPDX-License-Identifier: GPL-2.0-only */
/* How a task stands, for people: nothing here decides or changes anything. */
#include "plan_private.h"

/* Whether its class means something else than the task carries, whoever is to blame. */
static bool differs(const struct plan *plan, const struct task *task, const struct task_attr *actual)
{
	struct task_attr want;

	switch ((enum task_state)task->state) {
	case TASK_TAGGED:
	case TASK_REFUSED:
	case TASK_NOT_KEPT:
		break;
	case TASK_UNDECIDED:
	case TASK_LEFT_ALONE:
	case TASK_NOT_FAIR:
	case TASK_UNDONE:
		return false;
	}
	if (task->tag == TAG_NONE)
		return false;
	want = plan_class_over(plan, task);
	return attr_difference(actual, &want) != 0;
}

int plan_view(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_view *ret)
{
	int r = plan_reason(plan, task, facts);

	*ret = (struct plan_view){ .reason = r < 0 ? task_reason(task) : (enum reason)r, .actual = task->known };
	if (r < 0)
		return r;
	r = plan_look(plan, facts, &task->known, &ret->actual);
	ret->differs = differs(plan, task, &ret->actual);
	return r;
}
