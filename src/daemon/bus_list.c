/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reply holds one array for each column: sd-bus then copies the numbers of 20,000 tasks in one
 * piece, instead of looking at each.
 */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

enum {
	COLUMN_TID,
	COLUMN_TGID,
	COLUMN_RULE,
	COLUMN_SLICE,
	COLUMN_CLASS,
	COLUMN_NICE,
	COLUMN_REASON,
	COLUMN_POLICY,
	COLUMN_FLAGS,
	COLUMNS
};

static const struct {
	char type;
	size_t size;
} columns[COLUMNS] = {
	[COLUMN_TID] = { 'u', sizeof(uint32_t) },   [COLUMN_TGID] = { 'u', sizeof(uint32_t) },
	[COLUMN_RULE] = { 'u', sizeof(uint32_t) },  [COLUMN_SLICE] = { 'u', sizeof(uint32_t) },
	[COLUMN_CLASS] = { 'q', sizeof(uint16_t) }, [COLUMN_NICE] = { 'n', sizeof(int16_t) },
	[COLUMN_REASON] = { 'y', sizeof(uint8_t) }, [COLUMN_POLICY] = { 'y', sizeof(uint8_t) },
	[COLUMN_FLAGS] = { 'y', sizeof(uint8_t) },
};

struct task_table {
	void *cells[COLUMNS];
	size_t count;
	bool *is_named; /* by rule's id: some task has it */
	uint16_t *rank;	/* by class: how many are higher */
};

static void task_table_clear(struct task_table *table)
{
	for (int i = 0; i < COLUMNS; i++)
		free(table->cells[i]);
	free(table->is_named);
	free(table->rank);
}

static void put_task(struct task_table *table, const struct tagger_task *task,
		     const struct config *config)
{
	const size_t at = table->count++;
	size_t n_tags;
	const struct tag *tags = rules_tags(config->rules, &n_tags);

	((uint32_t *)table->cells[COLUMN_TID])[at] = (uint32_t)task->tid;
	((uint32_t *)table->cells[COLUMN_TGID])[at] = (uint32_t)task->tgid;
	((uint32_t *)table->cells[COLUMN_RULE])[at] = task->rule;
	((uint32_t *)table->cells[COLUMN_SLICE])[at] = task->attr.slice_ns;
	((uint16_t *)table->cells[COLUMN_CLASS])[at] =
		task->tag < n_tags ? table->rank[tags[task->tag].qos_class] : BUS_NO_CLASS;
	((int16_t *)table->cells[COLUMN_NICE])[at] = (int16_t)(int)task->attr.nice;
	((uint8_t *)table->cells[COLUMN_REASON])[at] = (uint8_t)task->reason;
	((uint8_t *)table->cells[COLUMN_POLICY])[at] = task->attr.policy;
	((uint8_t *)table->cells[COLUMN_FLAGS])[at] =
		(uint8_t)((task->is_limited ? BUS_TASK_LIMITED : 0) |
			  (task->differs ? BUS_TASK_DIFFERS : 0) |
			  (task->is_raised ? BUS_TASK_RAISED : 0) |
			  (task->shown == SHOWN_FOCUSED ? BUS_TASK_FOCUSED : 0) |
			  (task->shown == SHOWN_HIDDEN ? BUS_TASK_HIDDEN : 0));
	table->is_named[task->rule] = true;
}

/* The highest id of a rule. */
static uint32_t last_rule(const struct rules *rules)
{
	uint32_t id = 0;

	while (rules_by_id(rules, id + 1))
		id++;
	return id;
}

/* Of two that are equal the first is higher. */
static void rank_classes(const struct config *config, uint16_t *rank)
{
	for (size_t i = 0; i < config->n_classes; i++) {
		for (size_t j = 0; j < config->n_classes; j++) {
			const int compared = class_compare(&config->classes[j], &config->classes[i]);

			rank[i] += compared < 0 || (compared == 0 && j < i);
		}
	}
}

static int fill_table(struct task_table *table, const struct daemon *daemon)
{
	const size_t max = tagger_records(daemon->tagger) + 1;
	const uint32_t last = last_rule(daemon->config->rules);
	struct tagger_task task;
	uint32_t cursor = 0;

	for (int i = 0; i < COLUMNS; i++) {
		table->cells[i] = calloc(max, columns[i].size);
		if (!table->cells[i])
			return -ENOMEM;
	}
	table->is_named = calloc(last + 1, sizeof(*table->is_named));
	table->rank = calloc(daemon->config->n_classes, sizeof(*table->rank));
	if (!table->is_named || !table->rank)
		return -ENOMEM;
	rank_classes(daemon->config, table->rank);
	while (table->count < max && tagger_next_task(daemon->tagger, &cursor, &task)) {
		/* Until a scan has seen it after a reload, a record may have a rule that is gone. */
		if (task.rule > last)
			task.rule = 0;
		put_task(table, &task, daemon->config);
	}
	return 0;
}

static int append_names(sd_bus_message *reply, const struct task_table *table,
			const struct config *config)
{
	int r = sd_bus_message_open_container(reply, 'a', "s");

	for (size_t rank = 0; rank < config->n_classes; rank++) {
		for (size_t i = 0; i < config->n_classes && r >= 0; i++) {
			if (table->rank[i] == rank)
				r = sd_bus_message_append(reply, "s", config->classes[i].name);
		}
	}
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "s");
	for (int i = 0; i < REASON_COUNT && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", reason_name(i));
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_rules(sd_bus_message *reply, const struct task_table *table,
			const struct rules *rules)
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

static int append_table(sd_bus_message *reply, const struct task_table *table,
			const struct config *config)
{
	int r = append_names(reply, table, config);

	if (r >= 0)
		r = append_rules(reply, table, config->rules);
	for (int i = 0; i < COLUMNS && r >= 0; i++)
		r = sd_bus_message_append_array(reply, columns[i].type, table->cells[i],
						table->count * columns[i].size);
	return r;
}

int bus_list_tasks(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(task_table_clear) struct task_table table = { 0 };
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	struct daemon *daemon = userdata;
	int r = fill_table(&table, daemon);

	(void)error;
	if (r >= 0)
		r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = append_table(reply, &table, daemon->config);
	if (r >= 0)
		r = sd_bus_message_send(reply);
	return r < 0 ? r : 1;
}
