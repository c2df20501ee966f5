/* SPDX-License-Identifier: GPL-2.0-only */
#include "task_filter.h"

#include <fnmatch.h>
#include <string.h>

#include <schedqos/config/suggest.h>
#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>
#include <schedqos/util/text_buf.h>

#include "user_names.h"

static bool is_among(const char *name, const char **names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static int check_name(const char *name, const char *what, const char **names, size_t n,
		      const struct verb *verb)
{
	struct suggestion near = { .word = name };
	struct text_buf all = { 0 };
	_cleanup_free_ char *known = NULL;
	char safe[256];

	if (!name || is_among(name, names, n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		suggest_offer(&near, names[i]);
		text_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	known = text_buf_take(&all);
	text_escape_to(safe, sizeof(safe), name, strlen(name));
	if (near.best)
		return usage_error(verb, "no %s '%s': did you mean '%s'?", what, safe, near.best);
	return usage_error(verb, "no %s '%s': there are %s", what, safe, known ? known : "others");
}

int task_filter_check(const struct task_filter *filter, const struct task_list *list,
		      const struct verb *verb)
{
	int status = check_name(filter->class, "class", list->classes, list->n_classes, verb);

	return status ? status
		      : check_name(filter->reason, "reason", list->reasons, list->n_reasons, verb);
}

/* Whatever the reason, the kernel's no is not leaving alone. */
static bool is_left_alone(const struct task_list *list, const struct listed_task *task)
{
	const char *reason = task_list_reason(list, task);

	return task->qos_class == BUS_NO_CLASS && strcmp(reason, "refused") != 0 &&
	       strcmp(reason, "not-kept") != 0;
}

bool task_filter_keeps(const struct task_filter *filter, const struct task_list *list,
		       const struct listed_task *task)
{
	const char *class = task_list_class(list, task);

	if (filter->class && (!class || strcmp(class, filter->class) != 0))
		return false;
	if (filter->reason && strcmp(task_list_reason(list, task), filter->reason) != 0)
		return false;
	if (filter->left_alone && !is_left_alone(list, task))
		return false;
	return !filter->differs || (task->flags & BUS_TASK_DIFFERS);
}

int task_filter_parse(const struct command *command, struct task_filter *ret)
{
	char safe[256];

	*ret = (struct task_filter){
		.class = option_value(command, OPTION_CLASS),
		.app = option_value(command, OPTION_APP),
		.reason = option_value(command, OPTION_REASON),
		.user = option_value(command, OPTION_OF_USER),
		.left_alone = option_given(command, OPTION_LEFT_ALONE),
		.differs = option_given(command, OPTION_DIFFERS),
	};
	if (!ret->user || user_find(ret->user, &ret->uid) == 0)
		return 0;
	return usage_error(command->verb, "no user '%s'",
			   text_escape_to(safe, sizeof(safe), ret->user, strlen(ret->user)));
}

bool task_filter_keeps_named(const struct task_filter *filter, const char *app, const char *comm,
			     uid_t uid)
{
	if (filter->user && uid != filter->uid)
		return false;
	if (!filter->app || fnmatch(filter->app, comm, 0) == 0)
		return true;
	return app && (strcmp(filter->app, app) == 0 || fnmatch(filter->app, app, 0) == 0);
}
