/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/reason.h>

const char *reason_name(enum reason reason)
{
	static const char *const names[REASON_COUNT] = {
		[REASON_NONE] = "undecided",
		[REASON_RULE] = "rule",
		[REASON_THREAD] = "thread-rule",
		[REASON_INHERITED] = "inherited-rule",
		[REASON_DEFAULT] = "default",
		[REASON_OVERRIDE] = "override",
		[REASON_UNIT] = "unit",
		[REASON_NO_RULE] = "no-rule",
		[REASON_CHOSEN] = "chosen-by-others",
		[REASON_CHANGED] = "changed-by-others",
		[REASON_NOT_FAIR] = "not-fair",
		[REASON_REFUSED] = "refused",
		[REASON_NOT_KEPT] = "not-kept",
		[REASON_UNDONE] = "undone",
	};

	return reason < REASON_COUNT ? names[reason] : "?";
}

enum reason task_reason(const struct task *task)
{
	static const enum reason tagged[] = {
		[ASSIGNED_BY_RULE] = REASON_RULE,	    [ASSIGNED_BY_THREAD] = REASON_THREAD,
		[ASSIGNED_BY_INHERITED] = REASON_INHERITED, [ASSIGNED_BY_DEFAULT] = REASON_DEFAULT,
		[ASSIGNED_BY_OVERRIDE] = REASON_OVERRIDE,   [ASSIGNED_BY_UNIT] = REASON_UNIT,
	};
	static const enum reason others[] = {
		[TASK_LEFT_ALONE] = REASON_CHOSEN, [TASK_NOT_FAIR] = REASON_NOT_FAIR, [TASK_REFUSED] = REASON_REFUSED,
		[TASK_NOT_KEPT] = REASON_NOT_KEPT, [TASK_UNDONE] = REASON_UNDONE,
	};

	if (task->state == TASK_TAGGED)
		return task->theirs ? REASON_CHANGED : tagged[task->assigned_by];
	if (task->state == TASK_LEFT_ALONE && task->assigned_by == ASSIGNED_NO_CLASS)
		return REASON_NO_RULE;
	return others[task->state];
}
