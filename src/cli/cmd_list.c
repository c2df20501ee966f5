/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks in a table: a row for each process, or for what of it agrees. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/policy/qos_class.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "tasks.h"
#include "text_table.h"
#include "user_names.h"
#include "verb.h"

/* A name of at most 15 bytes, each of which may take four characters. */
#define NAME_MAX_ESCAPED 64

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

struct listing {
	const struct command *command;
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
	return text_escape_to(buf, NAME_MAX_ESCAPED, row->comm, strlen(row->comm));
}

static void add_row(struct listing *listing, struct text_table *table, const struct task_row *row)
{
	char name[NAME_MAX_ESCAPED], slice[32] = "-";

	if (row->slice_ns)
		snprintf(slice, sizeof(slice), "%.4g", row->slice_ns / 1e6);
	text_table_add(table, "%s", or_dash(row->class));
	text_table_add(table, "%d", (int)(listing->each_thread ? row->tid : row->tgid));
	text_table_add(table, "%s", user_name(&listing->users, row->uid));
	text_table_add(table, "%s", name_of(row, name));
	text_table_add(table, "%s", or_dash(row->app));
	text_table_add(table, "%s%s", row->reason, row->flags & BUS_TASK_LIMITED ? ",limited" : "");
	/* Without the prefix that all of them share. */
	text_table_add(table, "%s", task_policy_name(row->policy) + strlen("SCHED_"));
	text_table_add(table, "%d", row->nice);
	text_table_add(table, "%s", slice);
	if (!listing->each_thread)
		text_table_add(table, "%zu", row->tasks);
	text_table_add(table, "%.2f", (double)row->run_ns / 1e9);
	text_table_add(table, "%.1f", (double)row->delay_ns / 1e6);
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
	json_put_number(json, "ppid", row->ppid);
	json_put_count(json, "threads", row->tasks);
	json_put_count(json, "uid", row->uid);
	json_put_text(json, "user", user_name(&listing->users, row->uid));
	json_put_text(json, "name", name_of(row, name));
	json_put_text(json, "class", row->class);
	json_put_text(json, "app", row->app);
	json_put_text(json, "reason", row->reason);
	json_put_bool(json, "limited", row->flags & BUS_TASK_LIMITED);
	json_put_bool(json, "differs", row->flags & BUS_TASK_DIFFERS);
	json_put_text(json, "policy", task_policy_name(row->policy));
	json_put_number(json, "nice", row->nice);
	json_put_count(json, "slice_ns", row->slice_ns);
	json_put_count(json, "run_ns", row->run_ns);
	json_put_count(json, "delay_ns", row->delay_ns);
	json_put_count(json, "waits", row->waits);
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

/* ---- which, and in which order ---- */

static int compare_shown(const struct task_row *a, const struct task_row *b)
{
	int order = COMPARE(a->tgid, b->tgid);

	if (!order)
		order = COMPARE(a->rank, b->rank);
	if (!order)
		order = task_text_compare(a->app, b->app);
	if (!order)
		order = task_text_compare(a->reason, b->reason);
	if (!order)
		order = COMPARE(a->flags, b->flags);
	if (!order)
		order = COMPARE(a->policy, b->policy);
	if (!order)
		order = COMPARE(a->nice, b->nice);
	return order ? order : COMPARE(a->slice_ns, b->slice_ns);
}

/* A leader comes first, as it is whose name and parent are shown. */
static int compare_threads(const void *a, const void *b)
{
	const struct task_row *first = a, *second = b;
	int order = compare_shown(first, second);

	if (!order)
		order = COMPARE(first->tid != first->tgid, second->tid != second->tgid);
	return order ? order : COMPARE(first->tid, second->tid);
}

/* Joins threads of a process that agree in everything that is shown. */
static void join(struct task_row *rows, size_t *n)
{
	size_t count = 0;

	qsort(rows, *n, sizeof(*rows), compare_threads);
	for (size_t i = 0; i < *n; i++) {
		if (count && compare_shown(&rows[count - 1], &rows[i]) == 0)
			task_row_add(&rows[count - 1], &rows[i]);
		else
			rows[count++] = rows[i];
	}
	*n = count;
}

/* Higher classes first, tasks without one last. */
static int compare_classes(const void *a, const void *b)
{
	const struct task_row *first = a, *second = b;
	int order = COMPARE(first->rank, second->rank);

	if (!order)
		order = task_text_compare(first->app, second->app);
	if (!order)
		order = COMPARE(first->tgid, second->tgid);
	return order ? order : COMPARE(first->tid, second->tid);
}

static bool is_wanted(const struct command *command, const struct task_row *row)
{
	const char *class = command->values[OPTION_CLASS], *app = command->values[OPTION_APP];

	if (class && task_text_compare(class, row->class) != 0)
		return false;
	if (!app || fnmatch(app, row->comm, 0) == 0)
		return true;
	return row->app && (strcmp(app, row->app) == 0 || fnmatch(app, row->app, 0) == 0);
}

/* False if the task has ended. */
static bool read_row(int proc, struct task_row *row)
{
	struct procfs_stat stat;

	if (procfs_thread_stat(proc, row->tgid, row->tid, &stat) < 0 || procfs_euid(proc, row->tid, &row->uid) < 0)
		return false;
	row->ppid = stat.ppid;
	memcpy(row->comm, stat.comm, sizeof(row->comm) - 1);
	task_row_read_use(proc, row);
	return true;
}

/* 0 or an exit status. */
static int make_rows(struct listing *listing)
{
	struct tasks *tasks = &listing->tasks;
	_cleanup_close_ int proc = procfs_open();
	size_t count = 0;

	if (proc < 0) {
		log_error("/proc: %s", strerror(-proc));
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < tasks->n_rows; i++) {
		struct task_row *row = &tasks->rows[i];

		if (row->tasks && read_row(proc, row) && is_wanted(listing->command, row))
			tasks->rows[count++] = *row;
	}
	if (!listing->each_thread)
		join(tasks->rows, &count);
	qsort(tasks->rows, count, sizeof(*tasks->rows), compare_classes);
	tasks->n_rows = count;
	return 0;
}

/* 0 or an exit status. */
static int check_class(const struct listing *listing)
{
	const char *class = listing->command->values[OPTION_CLASS];
	struct suggestion near = { .word = class };
	char safe[256];

	for (size_t i = 0; class && i < listing->tasks.n_classes; i++) {
		if (strcmp(listing->tasks.classes[i], class) == 0)
			return 0;
		suggest_offer(&near, listing->tasks.classes[i]);
	}
	if (!class)
		return 0;
	text_escape_to(safe, sizeof(safe), class, strlen(class));
	if (near.best)
		return usage_error(listing->command->verb, "no class '%s': did you mean '%s'?", safe, near.best);
	return usage_error(listing->command->verb, "no class '%s': 'status' names them", safe);
}

int cmd_list(const struct command *command)
{
	struct listing listing = { .command = command, .each_thread = option_given(command, OPTION_THREADS) };
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	_cleanup_free_ char *text = NULL;
	int status;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = tasks_read(bus, &listing.tasks) < 0 ? EXIT_FAILURE : check_class(&listing);
	if (status == 0)
		status = make_rows(&listing);
	if (status == 0) {
		text = option_given(command, OPTION_JSON) ? make_json(&listing) : make_text(&listing);
		status = text && fputs(text, stdout) >= 0 ? 0 : EXIT_FAILURE;
	}
	user_names_clear(&listing.users);
	tasks_clear(&listing.tasks);
	return status;
}
