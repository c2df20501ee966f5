/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints tasks as a table, or as JSON: one row for each group of threads of a process that agree in everything shown.
 */
#include <fnmatch.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/policy/qos_class.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "tasks.h"
#include "text_table.h"
#include "verb.h"

/* A name has at most 15 bytes, each of which may take four characters. */
#define NAME_MAX_ESCAPED 64

/* ---- showing ---- */

/*
 * Returns a user's name, valid until the next call. Caches the last one, because neighbouring rows mostly have the same
 * user.
 */
static const char *user_name(uid_t uid)
{
	static char name[NAME_MAX_ESCAPED]; /* escaped; the uid if the user has no name */
	static uid_t whose;
	const struct passwd *found;

	if (*name && whose == uid)
		return name;
	whose = uid;
	found = getpwuid(uid);
	if (found)
		text_escape_to(name, sizeof(name), found->pw_name, strlen(found->pw_name));
	else
		snprintf(name, sizeof(name), "%u", (unsigned)uid);
	return name;
}

static const char *row_name(const struct task_row *row, char buf[NAME_MAX_ESCAPED])
{
	return text_escape_to(buf, NAME_MAX_ESCAPED, row->comm, strlen(row->comm));
}

static void add_text_row(struct text_buf *rows, const struct task_row *row)
{
	char name[NAME_MAX_ESCAPED], slice[32] = "-";

	if (row->slice_ns)
		snprintf(slice, sizeof(slice), "%.4g", row->slice_ns / 1e6);
	text_buf_printf(rows, "%s\t%d\t%s\t%s\t", row->class ? row->class : "-", (int)row->tgid, user_name(row->uid),
			row_name(row, name));
	/* Policies are shown without their common prefix. */
	text_buf_printf(rows, "%s\t%d\t%s\t", task_policy_name(row->policy) + strlen("SCHED_"), row->nice, slice);
	text_buf_printf(rows, "%s%s%s\t%s\t", row->reason, row->flags & BUS_TASK_LIMITED ? ",limited" : "",
			row->flags & BUS_TASK_RAISED ? ",focused" : "", row->app ? row->app : "-");
	text_buf_printf(rows, "%zu\t%.2f\t%.1f\n", row->tasks, (double)row->run_ns / 1e9, (double)row->delay_ns / 1e6);
}

static char *make_text(const struct task_list *tasks)
{
	struct text_buf rows = { 0 }, out = { 0 };

	text_buf_printf(&rows,
			"CLASS\tPID\tUSER\tNAME\tPOLICY\tNICE\tSLICE(ms)\tREASON\tAPP\tTHREADS\tCPU(s)\tDELAY(ms)\n");
	for (size_t i = 0; i < tasks->n_rows; i++)
		add_text_row(&rows, &tasks->rows[i]);
	/* Somebody may have taken the bridge over. */
	if (client_is_bridged() && rows.text)
		text_make_safe(rows.text);
	text_table_print(&rows, "lrlllrrllrrr", isatty(STDOUT_FILENO), &out);
	return text_buf_take(&out);
}

static void put_row_json(struct json_writer *json, const struct task_row *row)
{
	char name[NAME_MAX_ESCAPED];

	json_begin(json, NULL, '{');
	json_put_number(json, "pid", row->tgid);
	json_put_number(json, "tid", row->tid);
	json_put_number(json, "ppid", row->ppid);
	json_put_count(json, "threads", row->tasks);
	json_put_count(json, "uid", row->uid);
	json_put_text(json, "user", user_name(row->uid));
	json_put_text(json, "name", row_name(row, name));
	json_put_text(json, "class", row->class);
	json_put_text(json, "app", row->app);
	json_put_text(json, "reason", row->reason);
	json_put_bool(json, "limited", row->flags & BUS_TASK_LIMITED);
	json_put_bool(json, "focused", row->flags & BUS_TASK_RAISED);
	json_put_bool(json, "differs", row->flags & BUS_TASK_DIFFERS);
	json_put_text(json, "policy", task_policy_name(row->policy));
	json_put_number(json, "nice", row->nice);
	json_put_count(json, "slice_ns", row->slice_ns);
	json_put_count(json, "run_ns", row->run_ns);
	json_put_count(json, "delay_ns", row->delay_ns);
	json_put_count(json, "waits", row->waits);
	json_end(json, '}');
}

static char *make_json(const struct task_list *tasks)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '[');
	for (size_t i = 0; i < tasks->n_rows; i++)
		put_row_json(&json, &tasks->rows[i]);
	json_end(&json, ']');
	return json_take(&json);
}

/* ---- selecting and sorting ---- */

/*
 * Sorts higher classes first, tasks without a class last. Returns 0 for threads of a process that agree in everything
 * shown.
 */
static int compare_shown(const struct task_row *a, const struct task_row *b)
{
	const int orders[] = {
		COMPARE(a->rank, b->rank),   task_text_compare(a->app, b->app),
		COMPARE(a->tgid, b->tgid),   task_text_compare(a->reason, b->reason),
		COMPARE(a->flags, b->flags), COMPARE(a->policy, b->policy),
		COMPARE(a->nice, b->nice),   COMPARE(a->slice_ns, b->slice_ns),
	};

	for (size_t i = 0; i < array_size(orders); i++) {
		if (orders[i])
			return orders[i];
	}
	return 0;
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

/* Reads the columns that come from /proc. Returns false if the task has ended. */
static bool read_proc_row(int proc, struct task_row *row)
{
	struct procfs_status status;
	struct procfs_stat stat;

	if (procfs_thread_stat(proc, row->tgid, row->tid, &stat) < 0 ||
	    procfs_status(proc, row->tid, &status, NULL) < 0)
		return false;
	row->uid = status.effective;
	row->ppid = stat.ppid;
	memcpy(row->comm, stat.comm, sizeof(row->comm) - 1);
	task_row_read_use(proc, row);
	return true;
}

/* Makes the rows to show. Returns 0 or an exit status. */
static int make_rows(const struct command *command, struct task_list *tasks)
{
	_cleanup_close_ int proc = procfs_open();
	struct task_row *rows = tasks->rows;
	size_t n = 0;

	if (proc < 0) {
		log_error("/proc: %s", strerror(-proc));
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < tasks->n_rows; i++) {
		if (read_proc_row(proc, &rows[i]) && is_wanted(command, &rows[i]))
			rows[n++] = rows[i];
	}
	tasks->n_rows = task_rows_merge(rows, n, compare_shown);
	return 0;
}

/* Checks that the class named by --class exists. Returns 0 or an exit status. */
static int check_class_option(const struct command *command, const struct task_list *tasks)
{
	struct suggestion near = { .word = command->values[OPTION_CLASS] };
	struct text_buf names = { 0 };
	_cleanup_free_ char *all = NULL;
	char safe[256];

	if (!near.word)
		return 0;
	for (size_t i = 0; i < tasks->n_classes; i++) {
		if (strcmp(near.word, tasks->classes[i]) == 0) {
			free(names.text);
			return 0;
		}
		suggest_offer(&near, tasks->classes[i]);
		text_buf_printf(&names, "%s%s", i ? ", " : "", tasks->classes[i]);
	}
	all = text_buf_take(&names);
	return usage_error(command->verb, "no class '%s'%s%s%s: there are %s",
			   text_escape_to(safe, sizeof(safe), near.word, strlen(near.word)),
			   near.best ? " (did you mean '" : "", near.best ? near.best : "", near.best ? "'?)" : "",
			   all ? all : "others");
}

static bool show_list(const struct command *command, const struct task_list *tasks)
{
	const bool as_json = option_given(command, OPTION_JSON);
	_cleanup_free_ char *text = as_json ? make_json(tasks) : make_text(tasks);

	return text && (as_json ? fputs(text, stdout) >= 0 : text_table_show("", text));
}

int cmd_list(const struct command *command)
{
	struct task_list tasks = { 0 };
	int status = tasks_read(&tasks) < 0 ? EXIT_FAILURE : check_class_option(command, &tasks);

	if (status == 0)
		status = make_rows(command, &tasks);
	if (status == 0)
		status = show_list(command, &tasks) ? 0 : EXIT_FAILURE;
	tasks_clear(&tasks);
	return status;
}
