/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks to show, as far as the daemon's word on them tells. */
#pragma once

#include "task_list.h"
#include "verb.h"

/* Looks the user up. 0, or EXIT_USAGE after saying that there is none. */
int task_filter_find_user(struct task_filter *filter, const struct verb *verb);

/* Whether there are such classes and reasons. 0, or EXIT_USAGE after saying what may have been meant. */
int task_filter_check(const struct task_filter *filter, const struct task_list *list, const struct verb *verb);

/* --class, --reason, --left-alone, --differs. */
bool task_filter_keeps(const struct task_filter *filter, const struct task_list *list, const struct listed_task *task);

/* --app and --user. app: the rule's pattern, or NULL; comm: the name of the program, raw. */
bool task_filter_keeps_named(const struct task_filter *filter, const char *app, const char *comm, uid_t uid);
