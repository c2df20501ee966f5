/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a task has its class or none, for people: what its record is assigned by, and what came of it. */
#pragma once

#include <schedqos/policy/tasks.h>

enum reason {
	REASON_NONE,	  /* not decided yet */
	REASON_RULE,	  /* its process's rule */
	REASON_THREAD,	  /* a thread rule */
	REASON_INHERITED, /* the inherit rule of an ancestor */
	REASON_DEFAULT,	  /* no rule: QOS_DEFAULT */
	REASON_OVERRIDE,  /* what somebody asked for at run time */
	REASON_UNIT,	  /* no rule: its unit's class */
	REASON_NO_RULE,	  /* left alone: no rule, and the default is none */
	REASON_CHOSEN,	  /* left alone: somebody had chosen its attributes */
	REASON_CHANGED,	  /* somebody changed some of its attributes after us: they stay, the others are the class's */
	REASON_NOT_FAIR,  /* left alone: real-time, deadline or sched_ext */
	REASON_REFUSED,	  /* the kernel refused */
	REASON_NOT_KEPT,  /* the kernel accepted, but something else is read back */
	REASON_UNDONE,	  /* put back at the stop */
};
#define REASON_COUNT (REASON_UNDONE + 1)

/* Of a record. */
enum reason task_reason(const struct task *task);

/* "rule", "thread-rule", ...: stable names for output. Static storage. */
const char *reason_name(enum reason reason);
