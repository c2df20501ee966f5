/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists all tasks for `schedqos list`. The numbers of 20,000 tasks form one array of integers, which sd-bus copies as a
 * whole instead of item by item.
 */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

struct row {
	int32_t tid, tgid, pattern, slice_ns, qos_class, nice, reason, policy, flags;
};
_Static_assert(sizeof(struct row) == BUS_TASK_NUMBERS * sizeof(int32_t), "nothing in between");

struct table {
	struct row *rows;
	size_t count;
	const struct rule **named; /* the rules of the rows; the first entry stands for no rule */
	size_t n_named;
	uint32_t *place; /* by rule's id: its index in `named`, or 0 if not yet there */
};

static void table_clear(struct table *table)
{
	free(table->rows);
	free(table->named);
	free(table->place);
}

/*
 * Returns the rule's index in table->named, and adds it if needed. rule is NULL if there is none: after a reload a
 * record may name a rule that is gone, until the scan reaches it.
 */
static int32_t place_of(struct table *table, const struct rule *rule)
{
	if (!rule)
		return 0;
	if (!table->place[rule->id]) {
		table->place[rule->id] = (uint32_t)table->n_named;
		table->named[table->n_named++] = rule;
	}
	return (int32_t)table->place[rule->id];
}

static struct row make_row(struct table *table, const struct tagger_task *task, const struct config *config)
{
	const struct qos_class *class = class_of_tag(config, task->tag);

	return (struct row){
		.tid = task->tid,
		.tgid = task->tgid,
		.pattern = place_of(table, rules_by_id(config->rules, task->rule)),
		.slice_ns = task->attr.slice_ns < INT32_MAX ? (int32_t)task->attr.slice_ns : INT32_MAX,
		.qos_class = class ? (int32_t)(class - config->classes) : BUS_NO_CLASS,
		.nice = task->attr.nice,
		.reason = task->reason,
		.policy = task->attr.policy,
		.flags = (task->is_limited ? BUS_TASK_LIMITED : 0) | (task->differs ? BUS_TASK_DIFFERS : 0) |
			 (task->is_raised ? BUS_TASK_RAISED : 0) |
			 (task->shown == SHOWN_FOCUSED ? BUS_TASK_FOCUSED : 0) |
			 (task->shown == SHOWN_HIDDEN ? BUS_TASK_HIDDEN : 0),
	};
}

static int fill_table(struct table *table, const struct daemon *daemon)
{
	const struct config *config = daemon->config;
	const size_t max = tagger_records(daemon->tagger) + 1;
	struct tagger_task task;
	const size_t n_rules = config->rules->n_rules + 1;
	uint32_t cursor = 0;

	table->rows = calloc(max, sizeof(*table->rows));
	table->named = calloc(n_rules, sizeof(struct rule *));
	table->place = calloc(n_rules, sizeof(*table->place));
	if (!table->rows || !table->named || !table->place)
		return -ENOMEM;
	table->n_named = 1;
	while (table->count < max && tagger_next_task(daemon->tagger, &cursor, &task))
		table->rows[table->count++] = make_row(table, &task, config);
	return 0;
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

static int append_patterns(sd_bus_message *reply, const struct table *table)
{
	int r = sd_bus_message_open_container(reply, 'a', "s");

	for (size_t i = 0; i < table->n_named && r >= 0; i++) {
		const char *text = i ? table->named[i]->pattern : "";
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
	int r = fill_table(&table, daemon);

	(void)error;
	if (r >= 0)
		r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = append_names(reply, daemon->config);
	if (r >= 0)
		r = append_patterns(reply, &table);
	if (r >= 0)
		r = sd_bus_message_append_array(reply, 'i', table.rows, table.count * sizeof(*table.rows));
	return r < 0 ? r : sd_bus_message_send(reply);
}
