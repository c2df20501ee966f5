/* SPDX-License-Identifier: GPL-2.0-only */
#include "task_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

static int read_strings(sd_bus_message *reply, const char ***ret, size_t *ret_count)
{
	const char *text;
	int r = sd_bus_message_enter_container(reply, 'a', "s");

	while (r >= 0 && (r = sd_bus_message_read(reply, "s", &text)) > 0) {
		const char **all = reallocarray(*ret, *ret_count + 1, sizeof(*all));

		if (!all)
			return -ENOMEM;
		*ret = all;
		all[(*ret_count)++] = text;
	}
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

/* They come by id. */
static int read_rules(sd_bus_message *reply, struct task_list *list)
{
	struct listed_rule rule;
	int r = sd_bus_message_enter_container(reply, 'a', "{us}");

	while (r >= 0 && (r = sd_bus_message_read(reply, "{us}", &rule.id, &rule.pattern)) > 0) {
		struct listed_rule *all =
			reallocarray(list->rules, list->n_rules + 1, sizeof(*all));

		if (!all)
			return -ENOMEM;
		list->rules = all;
		all[list->n_rules++] = rule;
	}
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

/* Each column has as many numbers as the first. */
static int read_column(sd_bus_message *reply, char type, size_t size, const void **ret,
		       size_t *count)
{
	size_t bytes;
	int r = sd_bus_message_read_array(reply, type, ret, &bytes);

	if (r < 0)
		return r;
	if (*count == SIZE_MAX)
		*count = bytes / size;
	return bytes == *count * size ? 0 : -EBADMSG;
}

static int read_tasks(sd_bus_message *reply, struct task_list *list)
{
	const void *tid, *tgid, *rule, *slice, *qos_class, *nice, *reason, *policy, *flags;
	const struct {
		char type;
		size_t size;
		const void **at;
	} columns[] = {
		{ 'u', 4, &tid },    { 'u', 4, &tgid },	     { 'u', 4, &rule },
		{ 'u', 4, &slice },  { 'q', 2, &qos_class }, { 'n', 2, &nice },
		{ 'y', 1, &reason }, { 'y', 1, &policy },    { 'y', 1, &flags },
	};
	size_t count = SIZE_MAX;
	int r = 0;

	for (size_t i = 0; i < array_size(columns) && r >= 0; i++)
		r = read_column(reply, columns[i].type, columns[i].size, columns[i].at, &count);
	if (r < 0)
		return r;
	list->tasks = calloc(count + 1, sizeof(*list->tasks));
	if (!list->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		list->tasks[i] = (struct listed_task){
			.tid = ((const pid_t *)tid)[i],
			.tgid = ((const pid_t *)tgid)[i],
			.rule = ((const uint32_t *)rule)[i],
			.slice_ns = ((const uint32_t *)slice)[i],
			.qos_class = ((const uint16_t *)qos_class)[i],
			.nice = ((const int16_t *)nice)[i],
			.reason = ((const uint8_t *)reason)[i],
			.policy = ((const uint8_t *)policy)[i],
			.flags = ((const uint8_t *)flags)[i],
		};
	}
	list->n_tasks = count;
	return 0;
}

static int read_reply(sd_bus_message *reply, struct task_list *list)
{
	int r = read_strings(reply, &list->classes, &list->n_classes);

	if (r >= 0)
		r = read_strings(reply, &list->reasons, &list->n_reasons);
	if (r >= 0)
		r = read_rules(reply, list);
	return r < 0 ? r : read_tasks(reply, list);
}

int task_list_read(sd_bus *bus, bool with_ended, struct task_list *ret)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_INTERFACE, "ListTasks", &error,
				   &ret->reply, "b", (int)with_ended);

	if (r >= 0)
		r = read_reply(ret->reply, ret);
	if (r < 0) {
		log_error("asking the daemon: %s", error.message ? error.message : strerror(-r));
		task_list_clear(ret);
	}
	sd_bus_error_free(&error);
	return r;
}

void task_list_clear(struct task_list *list)
{
	sd_bus_message_unref(list->reply);
	free(list->tasks);
	free(list->classes);
	free(list->reasons);
	free(list->rules);
	*list = (struct task_list){ 0 };
}

const char *task_list_class(const struct task_list *list, const struct listed_task *task)
{
	return task->qos_class < list->n_classes ? list->classes[task->qos_class] : NULL;
}

const char *task_list_reason(const struct task_list *list, const struct listed_task *task)
{
	return task->reason < list->n_reasons ? list->reasons[task->reason] : "?";
}

static int compare_ids(const void *a, const void *b)
{
	const struct listed_rule *first = a, *second = b;

	return (first->id > second->id) - (first->id < second->id);
}

const char *task_list_app(const struct task_list *list, const struct listed_task *task)
{
	const struct listed_rule key = { .id = task->rule };
	const struct listed_rule *rule =
		list->n_rules ? bsearch(&key, list->rules, list->n_rules, sizeof(key), compare_ids)
			      : NULL;

	return rule ? rule->pattern : NULL;
}
