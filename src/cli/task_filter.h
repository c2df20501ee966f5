/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks to show, as far as the daemon's word on them tells. */
#pragma once

#include "task_list.h"
#include "verb.h"

/* NULL and false: all. The strings are those of the command line. */
struct task_filter {
	const char *class, *app, *reason, *user;
	bool left_alone, differs;
	uid_t uid; /* of user */
};

/* From the command line. 0, or EXIT_USAGE after saying that there is no such user. */
int task_filter_parse(const struct command *command, struct task_filter *ret);

/* Whether there are such classes and reasons. 0, or EXIT_USAGE after saying what may have been
 * meant. */
int task_filter_check(const struct task_filter *filter, const struct task_list *list,
		      const struct verb *verb);

/* --class, --reason, --left-alone, --differs. */
bool task_filter_keeps(const struct task_filter *filter, const struct task_list *list,
		       const struct listed_task *task);

/* --app and --user. app: the rule's pattern, or NULL; comm: the name of the program, raw. */
bool task_filter_keeps_named(const struct task_filter *filter, const char *app, const char *comm,
			     uid_t uid);
