/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/policy/attr.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "list_rows.h"
#include "task_filter.h"
#include "text_table.h"
#include "user_names.h"
#include "verb.h"

/* A name of at most 15 bytes, each of which may take four characters. */
#define NAME_MAX_ESCAPED 64

struct listing {
	bool each_thread, tree, json;
	struct task_filter filter;
	struct task_list list;
	struct list_rows rows;
	struct user_names users;
};

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

/* ---- usage ---- */

static void add_usage(struct task_usage *sum, const struct task_usage *one)
{
	sum->run_ns += one->run_ns;
	sum->delay_ns += one->delay_ns;
	sum->waits += one->waits;
}

/* Of the tasks that rows stand for; in one go, since that saves system calls. */
static int read_tasks(struct usage *usage, struct list_rows *rows)
{
	_cleanup_free_ struct task_usage *all = calloc(rows->count + 1, sizeof(*all));
	int r;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++)
		all[i].tid = rows->rows[i].task->tid;
	r = usage_read(usage, false, all, rows->count);
	for (size_t i = 0; i < rows->count; i++)
		rows->rows[i].usage = all[i];
	return r;
}

/* The kernel adds up the threads of a process itself, if they are all in one row. */
static int read_processes(struct usage *usage, struct list_rows *rows)
{
	_cleanup_free_ struct task_usage *all = calloc(rows->count + 1, sizeof(*all));
	size_t count = 0;
	int r;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->rows[i].is_whole && rows->rows[i].n_threads > 1)
			all[count++].tid = rows->rows[i].task->tgid;
	}
	r = usage_read(usage, true, all, count);
	count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		struct task_usage *sum = &rows->rows[i].usage;

		if (!rows->rows[i].is_whole || rows->rows[i].n_threads <= 1)
			continue;
		sum->run_ns = sum->delay_ns = sum->waits = 0;
		add_usage(sum, &all[count++]);
	}
	return r;
}

static int read_other_threads(struct usage *usage, struct list_row *row)
{
	_cleanup_free_ struct task_usage *all = calloc(row->n_threads, sizeof(*all));
	size_t count = 0;
	int r;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < row->n_threads; i++) {
		if (&row->threads[i] != row->task)
			all[count++].tid = row->threads[i].tid;
	}
	r = usage_read(usage, false, all, count);
	for (size_t i = 0; i < count; i++)
		add_usage(&row->usage, &all[i]);
	return r;
}

static int read_usage(struct list_rows *rows)
{
	struct usage *usage = NULL;
	int r = usage_open(false, &usage);

	if (r == 0)
		r = read_tasks(usage, rows);
	if (r == 0)
		r = read_processes(usage, rows);
	for (size_t i = 0; i < rows->count && r == 0; i++) {
		if (!rows->rows[i].is_whole && rows->rows[i].n_threads > 1)
			r = read_other_threads(usage, &rows->rows[i]);
	}
	usage_free(usage);
	if (r < 0)
		log_error("reading what tasks have used: %s", strerror(-r));
	return r;
}

/* ---- which ---- */

static bool keep_row(const struct list_row *row, const void *context)
{
	const struct listing *listing = context;

	return task_filter_keeps(&listing->filter, &listing->list, row->task);
}

/* What takes the task's name or user; and the tasks that have ended meanwhile. */
static bool keep_named(const struct list_row *row, const void *context)
{
	const struct listing *listing = context;

	return row->usage.tid &&
	       task_filter_keeps_named(&listing->filter, task_list_app(&listing->list, row->task),
				       row->usage.comm, row->usage.uid);
}

/* ---- showing ---- */

static const char *name_of(const struct list_row *row, char buf[NAME_MAX_ESCAPED])
{
	return text_escape_to(buf, NAME_MAX_ESCAPED, row->usage.comm, strlen(row->usage.comm));
}

/* The bus has it with the prefix that all of them share. */
static const char *policy_of(const struct listed_task *task)
{
	return task_policy_name(task->policy) + strlen("SCHED_");
}

static void add_row(struct listing *listing, struct text_table *table, const struct list_row *row)
{
	const struct listed_task *task = row->task;
	char name[NAME_MAX_ESCAPED], slice[32] = "-";
	const int indent = row->depth < 20 ? (int)row->depth * 2 : 40;

	if (task->slice_ns)
		snprintf(slice, sizeof(slice), "%.4g", task->slice_ns / 1e6);
	text_table_add(table, "%s", or_dash(task_list_class(&listing->list, task)));
	text_table_add(table, "%d", (int)(listing->each_thread ? task->tid : task->tgid));
	text_table_add(table, "%s", user_name(&listing->users, row->usage.uid));
	text_table_add(table, "%*s%s", listing->tree ? indent : 0, "", name_of(row, name));
	text_table_add(table, "%s", or_dash(task_list_app(&listing->list, task)));
	text_table_add(table, "%s%s", task_list_reason(&listing->list, task),
		       task->flags & BUS_TASK_LIMITED ? ",limited" : "");
	text_table_add(table, "%s", policy_of(task));
	text_table_add(table, "%d", task->nice);
	text_table_add(table, "%s", slice);
	if (!listing->each_thread)
		text_table_add(table, "%zu", row->n_threads);
	text_table_add(table, "%.2f", (double)row->usage.run_ns / 1e9);
	text_table_add(table, "%.1f", (double)row->usage.delay_ns / 1e6);
}

static int print_table(struct listing *listing)
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
	struct text_buf out = { 0 };
	_cleanup_free_ char *text = NULL;

	if (!listing->each_thread) {
		table.columns[table.n_columns].right = true;
		table.columns[table.n_columns++].head = "THREADS";
	}
	table.columns[table.n_columns].right = true;
	table.columns[table.n_columns++].head = "CPU(s)";
	table.columns[table.n_columns].right = true;
	table.columns[table.n_columns++].head = "DELAY(ms)";
	for (size_t i = 0; i < listing->rows.count; i++)
		add_row(listing, &table, &listing->rows.rows[i]);
	text_table_print(&table, terminal_width(), &out);
	text_table_clear(&table);
	text = text_buf_take(&out);
	return text && fputs(text, stdout) >= 0 ? 0 : EXIT_FAILURE;
}

static void put_row(struct listing *listing, struct json_writer *json, const struct list_row *row)
{
	const struct listed_task *task = row->task;
	char name[NAME_MAX_ESCAPED];

	json_begin(json, NULL, '{');
	json_put_number(json, "pid", task->tgid);
	json_put_number(json, "tid", task->tid);
	json_put_number(json, "ppid", row->usage.ppid);
	json_put_count(json, "threads", row->n_threads);
	json_put_count(json, "uid", row->usage.uid);
	json_put_text(json, "user", user_name(&listing->users, row->usage.uid));
	json_put_text(json, "name", name_of(row, name));
	json_put_text(json, "class", task_list_class(&listing->list, task));
	json_put_text(json, "app", task_list_app(&listing->list, task));
	json_put_text(json, "reason", task_list_reason(&listing->list, task));
	json_put_bool(json, "limited", task->flags & BUS_TASK_LIMITED);
	json_put_bool(json, "differs", task->flags & BUS_TASK_DIFFERS);
	json_put_text(json, "policy", task_policy_name(task->policy));
	json_put_number(json, "nice", task->nice);
	json_put_count(json, "slice_ns", task->slice_ns);
	json_put_count(json, "run_ns", row->usage.run_ns);
	json_put_count(json, "delay_ns", row->usage.delay_ns);
	json_put_count(json, "waits", row->usage.waits);
	if (listing->tree)
		json_put_count(json, "depth", row->depth);
	json_end(json, '}');
}

static int print_json(struct listing *listing)
{
	struct json_writer json = { 0 };
	_cleanup_free_ char *text = NULL;

	json_begin(&json, NULL, '[');
	for (size_t i = 0; i < listing->rows.count; i++)
		put_row(listing, &json, &listing->rows.rows[i]);
	json_end(&json, ']');
	text = json_take(&json);
	return text && fputs(text, stdout) >= 0 ? 0 : EXIT_FAILURE;
}

/* ---- */

static int show(struct listing *listing)
{
	int r = list_rows_make(&listing->list, listing->each_thread, &listing->rows);

	if (r == 0) {
		list_rows_filter(&listing->rows, keep_row, listing);
		r = read_usage(&listing->rows);
	}
	if (r < 0)
		return EXIT_FAILURE;
	list_rows_filter(&listing->rows, keep_named, listing);
	if (!listing->tree)
		list_rows_sort(&listing->list, &listing->rows);
	else if (list_rows_sort_as_tree(&listing->rows) < 0)
		return EXIT_FAILURE;
	return listing->json ? print_json(listing) : print_table(listing);
}

int cmd_list(const struct command *command)
{
	struct listing listing = {
		.each_thread = option_given(command, OPTION_THREADS),
		.tree = option_given(command, OPTION_TREE),
		.json = option_given(command, OPTION_JSON),
	};
	int status = task_filter_parse(command, &listing.filter);
	sd_bus *bus;

	if (status)
		return status;
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = EXIT_FAILURE;
	if (task_list_read(bus, false, &listing.list) >= 0) {
		status = task_filter_check(&listing.filter, &listing.list, command->verb);
		if (status == 0)
			status = show(&listing);
	}
	free(listing.rows.rows);
	user_names_clear(&listing.users);
	task_list_clear(&listing.list);
	sd_bus_flush_close_unref(bus);
	return status;
}
