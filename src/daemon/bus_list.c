/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reply holds one array for each column: sd-bus then takes the numbers of 20,000 tasks in one piece, instead of looking at
 * each.
 */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

/* The columns: id, process, rule, slice, class, nice value, reason, policy and flags. */
static const char types[] = "uuuuqnyyy";

#define COLUMNS (sizeof(types) - 1)

struct row {
	uint32_t cells[COLUMNS];
};

struct table {
	struct row *rows;
	size_t count;
	bool *is_named;	 /* by rule's id: some task has it */
	uint16_t *order; /* the classes, the highest first */
	uint16_t *rank;	 /* by class: its place in there */
};

static void table_clear(struct table *table)
{
	free(table->rows);
	free(table->is_named);
	free(table->order);
	free(table->rank);
}

static struct row make_row(const struct table *table, const struct tagger_task *task, const struct rules *rules)
{
	size_t n_tags;
	const struct tag *tags = rules_tags(rules, &n_tags);
	/* Until a scan has seen it after a reload, a record may have a rule that is gone. */
	const uint32_t rule = rules_by_id(rules, task->rule) ? task->rule : 0;

	table->is_named[rule] = true;
	return (struct row){ {
		(uint32_t)task->tid,
		(uint32_t)task->tgid,
		rule,
		task->attr.slice_ns,
		task->tag < n_tags ? table->rank[tags[task->tag].qos_class] : BUS_NO_CLASS,
		(uint32_t)task->attr.nice,
		task->reason,
		task->attr.policy,
		(task->is_limited ? BUS_TASK_LIMITED : 0) | (task->differs ? BUS_TASK_DIFFERS : 0) |
			(task->is_raised ? BUS_TASK_RAISED : 0) |
			(task->shown == SHOWN_FOCUSED ? BUS_TASK_FOCUSED : 0) |
			(task->shown == SHOWN_HIDDEN ? BUS_TASK_HIDDEN : 0),
	} };
}

/* Of two that are equal the first is higher. */
static void rank_classes(const struct table *table, const struct config *config)
{
	for (uint16_t i = 0; i < config->n_classes; i++) {
		size_t at = i;

		for (; at && class_compare(&config->classes[i], &config->classes[table->order[at - 1]]) < 0; at--)
			table->order[at] = table->order[at - 1];
		table->order[at] = i;
	}
	for (uint16_t i = 0; i < config->n_classes; i++)
		table->rank[table->order[i]] = i;
}

static int fill_table(struct table *table, const struct daemon *daemon)
{
	const struct config *config = daemon->config;
	const size_t max = tagger_records(daemon->tagger) + 1;
	struct tagger_task task;
	uint32_t cursor = 0, n_rules = 1;

	while (rules_by_id(config->rules, n_rules))
		n_rules++;
	table->rows = calloc(max, sizeof(*table->rows));
	table->is_named = calloc(n_rules, sizeof(*table->is_named));
	table->order = calloc(config->n_classes, sizeof(*table->order));
	table->rank = calloc(config->n_classes, sizeof(*table->rank));
	if (!table->rows || !table->is_named || !table->order || !table->rank)
		return -ENOMEM;
	rank_classes(table, config);
	while (table->count < max && tagger_next_task(daemon->tagger, &cursor, &task))
		table->rows[table->count++] = make_row(table, &task, config->rules);
	return 0;
}

static int append_names(sd_bus_message *reply, const struct table *table, const struct config *config)
{
	int r = sd_bus_message_open_container(reply, 'a', "s");

	for (size_t i = 0; i < config->n_classes && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", config->classes[table->order[i]].name);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "s");
	for (int i = 0; i < REASON_COUNT && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", reason_name(i));
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_rules(sd_bus_message *reply, const struct table *table, const struct rules *rules)
{
	const struct rule *rule;
	int r = sd_bus_message_open_container(reply, 'a', "(us)");

	for (uint32_t id = 1; r >= 0 && (rule = rules_by_id(rules, id)); id++) {
		_cleanup_free_ char *pattern = NULL;

		if (!table->is_named[id])
			continue;
		pattern = text_escape(rule->pattern, strlen(rule->pattern));
		r = pattern ? sd_bus_message_append(reply, "(us)", id, pattern) : -ENOMEM;
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_column(sd_bus_message *reply, const struct table *table, size_t column)
{
	const char type = types[column];
	const size_t size = type == 'u' ? 4 : type == 'y' ? 1 : 2;
	void *cells;
	int r = sd_bus_message_append_array_space(reply, type, table->count * size, &cells);

	for (size_t i = 0; i < table->count && r >= 0; i++) {
		const uint32_t cell = table->rows[i].cells[column];

		if (size == 4)
			((uint32_t *)cells)[i] = cell;
		else if (size == 2)
			((uint16_t *)cells)[i] = (uint16_t)cell;
		else
			((uint8_t *)cells)[i] = (uint8_t)cell;
	}
	return r;
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
		r = append_names(reply, &table, daemon->config);
	if (r >= 0)
		r = append_rules(reply, &table, daemon->config->rules);
	for (size_t i = 0; i < COLUMNS && r >= 0; i++)
		r = append_column(reply, &table, i);
	return r < 0 ? r : sd_bus_message_send(reply);
}
