/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers ListTasks: every task, and once for all of them the names that tasks refer to. */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

struct table {
	struct tagger_task *tasks;
	size_t n_tasks;
	const struct rule **named; /* the rules of the tasks; the first entry stands for no rule */
	size_t n_named;
	uint32_t *place; /* by a rule's id: its index in `named`, or 0 */
};

static void table_clear(struct table *table)
{
	free(table->tasks);
	free(table->named);
	free(table->place);
}

/*
 * Returns the rule's index in table->named, and adds it if needed. rule is NULL if there is none: after a reload a
 * record may name a rule that is gone, until the scan reaches it.
 */
static uint32_t place_of(struct table *table, const struct rule *rule)
{
	if (!rule)
		return 0;
	if (!table->place[rule->id]) {
		table->place[rule->id] = (uint32_t)table->n_named;
		table->named[table->n_named++] = rule;
	}
	return table->place[rule->id];
}

/* Looks at all tasks, and numbers their rules. Returns 0 or -ENOMEM. */
static int fill_table(struct table *table, const struct daemon *daemon)
{
	const struct rules *rules = daemon->config->rules;
	struct tagger_task task, *tasks;
	uint32_t cursor = 0;

	table->named = calloc(rules->n_rules + 1, sizeof(struct rule *));
	table->place = calloc(rules->n_rules + 1, sizeof(*table->place));
	if (!table->named || !table->place)
		return -ENOMEM;
	table->n_named = 1;
	while (tagger_next_task(daemon->tagger, &cursor, &task)) {
		tasks = array_room(table->tasks, table->n_tasks, sizeof(*tasks));
		if (!tasks)
			return -ENOMEM;
		table->tasks = tasks;
		tasks[table->n_tasks++] = task;
		place_of(table, rules_by_id(rules, task.rule));
	}
	return 0;
}

static uint32_t flags_of(const struct tagger_task *task)
{
	return (task->is_limited ? BUS_TASK_LIMITED : 0) | (task->differs ? BUS_TASK_DIFFERS : 0) |
	       (task->is_raised ? BUS_TASK_RAISED : 0) | (task->shown == SHOWN_FOCUSED ? BUS_TASK_FOCUSED : 0) |
	       (task->shown == SHOWN_HIDDEN ? BUS_TASK_HIDDEN : 0);
}

static int append_task(sd_bus_message *reply, struct table *table, const struct tagger_task *task,
		       const struct config *config)
{
	const struct qos_class *class = class_of_tag(config, task->tag);

	return sd_bus_message_append(reply, BUS_TASK, (uint32_t)task->tid, (uint32_t)task->tgid,
				     class ? (int32_t)(class - config->classes) : BUS_NO_CLASS,
				     (uint32_t)task->reason, place_of(table, rules_by_id(config->rules, task->rule)),
				     task->attr.policy, (int32_t)task->attr.nice, task->attr.slice_ns, flags_of(task));
}

static int append_tasks(sd_bus_message *reply, struct table *table, const struct config *config)
{
	int r = sd_bus_message_open_container(reply, 'a', BUS_TASK);

	for (size_t i = 0; i < table->n_tasks && r >= 0; i++)
		r = append_task(reply, table, &table->tasks[i], config);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_names(sd_bus_message *reply, const struct config *config)
{
	int r = sd_bus_message_open_container(reply, 'a', "s");

	for (size_t i = 0; i < config->n_classes && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", config->classes[i].name);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "s");
	for (int i = 0; i < REASON_COUNT && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", reason_name(i));
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_patterns(sd_bus_message *reply, const struct table *table, const struct config *config,
			   bool is_for_user)
{
	int r = sd_bus_message_open_container(reply, 'a', "s");

	for (size_t i = 0; i < table->n_named && r >= 0; i++) {
		const struct rule *rule = table->named[i];
		const bool is_hidden = rule && is_for_user && config_is_private(config, &rule->source);
		const char *text = is_hidden ? PRIVATE_PATTERN : rule ? rule->pattern : "";
		_cleanup_free_ char *pattern = text_escape(text, strlen(text));

		r = pattern ? sd_bus_message_append(reply, "s", pattern) : -ENOMEM;
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

int bus_list_tasks(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(table_clear) struct table table = { 0 };
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct daemon *daemon = userdata;
	struct ucred caller;
	const bool is_for_user = bus_check_user(message, 0, &caller) < 0;
	int r = fill_table(&table, daemon);

	(void)error;
	if (r >= 0)
		r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = append_names(reply, daemon->config);
	if (r >= 0)
		r = append_patterns(reply, &table, daemon->config, is_for_user);
	if (r >= 0)
		r = append_tasks(reply, &table, daemon->config);
	return r < 0 ? r : sd_bus_message_send(reply);
}
