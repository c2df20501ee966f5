/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks in a table: a row for each process, or for what of it agrees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/policy/attr.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "tasks.h"
#include "text_table.h"
#include "user_names.h"

/* A name of at most 15 bytes, each of which may take four characters. */
#define NAME_MAX_ESCAPED 64

struct listing {
	bool each_thread;
	struct tasks tasks;
	struct user_names users;
};

/* ---- showing ---- */

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static const char *name_of(const struct task_row *row, char buf[NAME_MAX_ESCAPED])
{
	return text_escape_to(buf, NAME_MAX_ESCAPED, row->usage.comm, strlen(row->usage.comm));
}

static void add_row(struct listing *listing, struct text_table *table, const struct task_row *row)
{
	char name[NAME_MAX_ESCAPED], slice[32] = "-";

	if (row->slice_ns)
		snprintf(slice, sizeof(slice), "%.4g", row->slice_ns / 1e6);
	text_table_add(table, "%s", or_dash(row->class));
	text_table_add(table, "%d", (int)(listing->each_thread ? row->tid : row->tgid));
	text_table_add(table, "%s", user_name(&listing->users, row->usage.uid));
	text_table_add(table, "%s", name_of(row, name));
	text_table_add(table, "%s", or_dash(row->app));
	text_table_add(table, "%s%s", row->reason, row->flags & BUS_TASK_LIMITED ? ",limited" : "");
	/* Without the prefix that all of them share. */
	text_table_add(table, "%s", task_policy_name(row->policy) + strlen("SCHED_"));
	text_table_add(table, "%d", row->nice);
	text_table_add(table, "%s", slice);
	if (!listing->each_thread)
		text_table_add(table, "%zu", row->tasks);
	text_table_add(table, "%.2f", (double)row->usage.run_ns / 1e9);
	text_table_add(table, "%.1f", (double)row->usage.delay_ns / 1e6);
}

static char *make_text(struct listing *listing)
{
	struct text_table table = {
		.columns = { { "CLASS", false, false },
			     { listing->each_thread ? "TID" : "PID", true, false },
			     { "USER", false, false },
			     { "NAME", false, true },
			     { "APP", false, true },
			     { "REASON", false, false },
			     { "POLICY", false, false },
			     { "NICE", true, false },
			     { "SLICE(ms)", true, false } },
		.n_columns = 9,
	};
	const char *const last[] = { "THREADS", "CPU(s)", "DELAY(ms)" };
	struct text_buf out = { 0 };

	for (size_t i = listing->each_thread; i < array_size(last); i++) {
		table.columns[table.n_columns].right = true;
		table.columns[table.n_columns++].head = last[i];
	}
	for (size_t i = 0; i < listing->tasks.n_rows; i++)
		add_row(listing, &table, &listing->tasks.rows[i]);
	text_table_print(&table, terminal_width(), &out);
	text_table_clear(&table);
	return text_buf_take(&out);
}

static void put_row(struct listing *listing, struct json_writer *json, const struct task_row *row)
{
	char name[NAME_MAX_ESCAPED];

	json_begin(json, NULL, '{');
	json_put_number(json, "pid", row->tgid);
	json_put_number(json, "tid", row->tid);
	json_put_number(json, "ppid", row->usage.ppid);
	json_put_count(json, "threads", row->tasks);
	json_put_count(json, "uid", row->usage.uid);
	json_put_text(json, "user", user_name(&listing->users, row->usage.uid));
	json_put_text(json, "name", name_of(row, name));
	json_put_text(json, "class", row->class);
	json_put_text(json, "app", row->app);
	json_put_text(json, "reason", row->reason);
	json_put_bool(json, "limited", row->flags & BUS_TASK_LIMITED);
	json_put_bool(json, "differs", row->flags & BUS_TASK_DIFFERS);
	json_put_text(json, "policy", task_policy_name(row->policy));
	json_put_number(json, "nice", row->nice);
	json_put_count(json, "slice_ns", row->slice_ns);
	json_put_count(json, "run_ns", row->usage.run_ns);
	json_put_count(json, "delay_ns", row->usage.delay_ns);
	json_put_count(json, "waits", row->usage.waits);
	json_end(json, '}');
}

static char *make_json(struct listing *listing)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '[');
	for (size_t i = 0; i < listing->tasks.n_rows; i++)
		put_row(listing, &json, &listing->tasks.rows[i]);
	json_end(&json, ']');
	return json_take(&json);
}

/* ---- */

/* What the filter keeps of the tasks that have not ended meanwhile, in order. 0 or -errno. */
static int make_rows(struct listing *listing, const struct task_filter *filter)
{
	struct tasks *tasks = &listing->tasks;
	struct usage_source *source = NULL;
	size_t count = 0;
	int r = usage_open(false, &source);

	if (r == 0)
		r = usage_read(source, tasks->rows, tasks->n_rows);
	usage_close(source);
	if (r < 0)
		return r;
	for (size_t i = 0; i < tasks->n_rows; i++) {
		const struct task_row *row = &tasks->rows[i];

		if (row->usage.tid && task_filter_keeps(filter, row, row->usage.comm))
			tasks->rows[count++] = *row;
	}
	tasks->n_rows = count;
	if (!listing->each_thread)
		task_rows_join(tasks->rows, &tasks->n_rows);
	task_rows_sort(tasks->rows, tasks->n_rows);
	return 0;
}

int cmd_list(const struct command *command)
{
	struct listing listing = { .each_thread = option_given(command, OPTION_THREADS) };
	_cleanup_free_ char *text = NULL;
	struct task_filter filter;
	int status = task_filter_parse(command, &filter);
	sd_bus *bus;

	if (status)
		return status;
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = tasks_read(bus, false, &listing.tasks) < 0 ? EXIT_FAILURE
							   : task_filter_check(&filter, &listing.tasks, command->verb);
	if (status == 0 && make_rows(&listing, &filter) == 0)
		text = option_given(command, OPTION_JSON) ? make_json(&listing) : make_text(&listing);
	if (status == 0)
		status = text && fputs(text, stdout) >= 0 ? 0 : EXIT_FAILURE;
	user_names_clear(&listing.users);
	tasks_clear(&listing.tasks);
	sd_bus_flush_close_unref(bus);
	return status;
}
