/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks to show, as far as the daemon's word on them tells. */
#pragma once

#include "task_list.h"
#include "verb.h"

/* Whether there are such classes and reasons. 0, or EXIT_USAGE after saying what may have been meant. */
int task_filter_check(const struct task_filter *filter, const struct task_list *list, const struct verb *verb);

/* --class, --reason, --left-alone, --differs; what else there is takes the task's user or name. */
bool task_filter_keeps(const struct task_filter *filter, const struct task_list *list, const struct listed_task *task);
