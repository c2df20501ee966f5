/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose each attribute of a task is: the four lines of the model (plan.h), as a function of what is passed to it alone.
 */
#pragma once

#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/tasks.h>

/*
 * Compares what the task carries with its record, which knows it then: had, known, theirs change. TASK_COPY tells how
 * far it is believed. is_vouched: what a class gives over `had` is ours, though the record does not say so: of a fresh
 * copy whose origin vouches for it, and of a task that was about to be set.
 */
void judge(struct task *task, const struct task_attr *actual, bool is_vouched, const struct given *given,
	   const struct attr_caps *caps);
