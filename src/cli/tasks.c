/* SPDX-License-Identifier: GPL-2.0-only */
#include "tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/suggest.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "user_names.h"

/* ---- the daemon's word ---- */

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

/* Patterns by the number of their rule, which only grows; in between is NULL. */
static int read_patterns(sd_bus_message *reply, const char ***ret, size_t *ret_count)
{
	const char *pattern;
	uint32_t number;
	int r = sd_bus_message_enter_container(reply, 'a', "{us}");

	while (r >= 0 && (r = sd_bus_message_read(reply, "{us}", &number, &pattern)) > 0) {
		const char **all = reallocarray(*ret, (size_t)number + 1, sizeof(*all));

		if (!all)
			return -ENOMEM;
		*ret = all;
		while (*ret_count < number)
			all[(*ret_count)++] = NULL;
		all[(*ret_count)++] = pattern;
	}
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

/* Each column has as many numbers as the first. */
static int read_column(sd_bus_message *reply, char type, size_t size, const void **ret, size_t *count)
{
	size_t bytes;
	int r = sd_bus_message_read_array(reply, type, ret, &bytes);

	if (r < 0)
		return r;
	if (*count == SIZE_MAX)
		*count = bytes / size;
	return bytes == *count * size ? 0 : -EBADMSG;
}

static int read_rows(sd_bus_message *reply, struct tasks *tasks, const char **patterns, size_t n_patterns)
{
	const void *tid, *tgid, *rule, *slice, *qos_class, *nice, *reason, *policy, *flags;
	const struct {
		char type;
		size_t size;
		const void **at;
	} columns[] = {
		{ 'u', 4, &tid },	{ 'u', 4, &tgid }, { 'u', 4, &rule },	{ 'u', 4, &slice }, { 'q', 2, &qos_class },
		{ 'n', 2, &nice }, { 'y', 1, &reason }, { 'y', 1, &policy }, { 'y', 1, &flags },
	};
	size_t count = SIZE_MAX;
	int r = 0;

	for (size_t i = 0; i < array_size(columns) && r >= 0; i++)
		r = read_column(reply, columns[i].type, columns[i].size, columns[i].at, &count);
	if (r < 0)
		return r;
	tasks->rows = calloc(count + 1, sizeof(*tasks->rows));
	if (!tasks->rows)
		return -ENOMEM;
	tasks->n_rows = count;
	for (size_t i = 0; i < count; i++) {
		const uint16_t class = ((const uint16_t *)qos_class)[i];
		const uint32_t number = ((const uint32_t *)rule)[i];
		const uint8_t why = ((const uint8_t *)reason)[i];
		struct task_row *row = &tasks->rows[i];

		*row = (struct task_row){
			.tid = ((const pid_t *)tid)[i],
			.tgid = ((const pid_t *)tgid)[i],
			.class = class < tasks->n_classes ? tasks->classes[class] : NULL,
			.app = number < n_patterns ? patterns[number] : NULL,
			.reason = why < tasks->n_reasons ? tasks->reasons[why] : "?",
			.rank = class,
			.nice = ((const int16_t *)nice)[i],
			.slice_ns = ((const uint32_t *)slice)[i],
			.policy = ((const uint8_t *)policy)[i],
			.flags = ((const uint8_t *)flags)[i],
			.tasks = 1,
		};
		row->differ = (row->flags & BUS_TASK_DIFFERS) != 0;
		row->refused = strcmp(row->reason, "refused") == 0;
	}
	return 0;
}

int tasks_read(sd_bus *bus, bool with_ended, struct tasks *ret)
{
	_cleanup_free_ const char **patterns = NULL;
	size_t n_patterns = 0;
	int r;

	if (client_call(bus, BUS_INTERFACE, "ListTasks", &ret->reply, "b", (int)with_ended))
		return -EIO;
	r = read_strings(ret->reply, &ret->classes, &ret->n_classes);
	if (r >= 0)
		r = read_strings(ret->reply, &ret->reasons, &ret->n_reasons);
	if (r >= 0)
		r = read_patterns(ret->reply, &patterns, &n_patterns);
	if (r >= 0)
		r = read_rows(ret->reply, ret, patterns, n_patterns);
	if (r < 0) {
		log_error("what the daemon says: %s", strerror(-r));
		tasks_clear(ret);
	} else {
		qsort(ret->rows, ret->n_rows, sizeof(*ret->rows), task_rows_compare_tids);
	}
	return r < 0 ? r : 0;
}

void tasks_clear(struct tasks *tasks)
{
	sd_bus_message_unref(tasks->reply);
	free(tasks->rows);
	free(tasks->classes);
	free(tasks->reasons);
	*tasks = (struct tasks){ 0 };
}

/* ---- what they have used ---- */

struct usage_source {
	struct taskstats_source *stats; /* NULL: from /proc */
	bool hears_exits;
	int proc;
};

int usage_open(bool with_exits, struct usage_source **ret)
{
	struct usage_source *source = calloc(1, sizeof(*source));
	int r = -ENOMEM;

	if (source) {
		source->proc = -1;
		r = taskstats_open(&source->stats);
		if (r < 0)
			source->proc = r = procfs_open();
		else
			source->hears_exits = with_exits && taskstats_listen(source->stats) == 0;
	}
	if (r < 0) {
		log_error("reading what tasks have used: %s", strerror(-r));
		free(source);
		return r;
	}
	*ret = source;
	return 0;
}

void usage_close(struct usage_source *source)
{
	if (!source)
		return;
	taskstats_free(source->stats);
	if (source->proc >= 0)
		close(source->proc);
	free(source);
}

bool usage_hears_exits(const struct usage_source *source)
{
	return source->hears_exits;
}

int usage_next_exit(struct usage_source *source, struct task_usage *ret)
{
	return source->hears_exits ? taskstats_next_exit(source->stats, ret) : 0;
}

static int read_proc(int proc, struct task_usage *task)
{
	struct procfs_schedstat times = { 0 };
	struct procfs_stat stat;
	int r = procfs_stat(proc, task->tid, &stat);

	if (r == 0)
		r = procfs_euid(proc, task->tid, &task->uid);
	if (r < 0)
		return r;
	procfs_schedstat(proc, task->tid, &times);
	task->run_ns = times.run_ns;
	task->delay_ns = times.delay_ns;
	task->waits = times.waits;
	task->ppid = stat.ppid;
	memcpy(task->comm, stat.comm, sizeof(task->comm) - 1);
	return 0;
}

int usage_read(struct usage_source *source, struct task_row *rows, size_t n)
{
	/* In one go, since that saves system calls. */
	_cleanup_free_ struct task_usage *all = calloc(n + 1, sizeof(*all));
	int r = all ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++)
		all[i].tid = rows[i].tid;
	if (r == 0 && source->stats)
		r = taskstats_read(source->stats, all, n);
	for (size_t i = 0; i < n && r == 0 && !source->stats; i++) {
		r = read_proc(source->proc, &all[i]);
		if (r == -ESRCH)
			r = all[i].tid = 0;
	}
	for (size_t i = 0; i < n && r == 0; i++)
		rows[i].usage = all[i];
	if (r < 0)
		log_error("reading what tasks have used: %s", strerror(-r));
	return r;
}

/* ---- which ---- */

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

static int check_name(const char *name, const char *what, const char **names, size_t n, const struct verb *verb)
{
	struct suggestion near = { .word = name };
	_cleanup_free_ char *known = NULL;
	struct text_buf all = { 0 };
	char safe[256];

	for (size_t i = 0; name && i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return 0;
		suggest_offer(&near, names[i]);
	}
	if (!name)
		return 0;
	text_escape_to(safe, sizeof(safe), name, strlen(name));
	if (near.best)
		return usage_error(verb, "no %s '%s': did you mean '%s'?", what, safe, near.best);
	for (size_t i = 0; i < n; i++)
		text_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	known = text_buf_take(&all);
	return usage_error(verb, "no %s '%s': there are %s", what, safe, known ? known : "others");
}

int task_filter_check(const struct task_filter *filter, const struct tasks *tasks, const struct verb *verb)
{
	int status = check_name(filter->class, "class", tasks->classes, tasks->n_classes, verb);

	return status ? status : check_name(filter->reason, "reason", tasks->reasons, tasks->n_reasons, verb);
}

/* Whatever the reason, the kernel's no is not leaving alone. */
static bool is_left_alone(const struct task_row *row)
{
	return row->reason && !row->class && strcmp(row->reason, "refused") != 0 && strcmp(row->reason, "not-kept") != 0;
}

bool task_filter_keeps(const struct task_filter *filter, const struct task_row *row, const char *program)
{
	if ((filter->class && task_text_compare(filter->class, row->class) != 0) ||
	    (filter->reason && task_text_compare(filter->reason, row->reason) != 0) ||
	    (filter->left_alone && !is_left_alone(row)) || (filter->differs && !row->differ) ||
	    (filter->user && row->usage.uid != filter->uid))
		return false;
	if (!filter->app || fnmatch(filter->app, program, 0) == 0)
		return true;
	return row->app && (strcmp(filter->app, row->app) == 0 || fnmatch(filter->app, row->app, 0) == 0);
}
