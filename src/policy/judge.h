/* SPDX-License-Identifier: GPL-2.0-only */
/* Judges for the plan which attributes of a task somebody has chosen, by the model at the head of plan.h. */
#pragma once

#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/tasks.h>

/* Compares the attributes that a task carries with its own record only, and updates had, known, theirs and prev. */
void judge(struct task *task, const struct task_attr *actual, const struct given *given);
