/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides whose each attribute of a task is, by the model at the head of plan.h. */
#pragma once

#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/tasks.h>

/* Compares what the task carries with its own record alone, and updates had, known, theirs and prev. */
void judge(struct task *task, const struct task_attr *actual, const struct given *given);
