/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the daemon's answer to ListTasks, and sorts and merges its rows. */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"

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

/* Reads one task. Returns 1, 0 after the last one, or -errno. */
static int read_row(sd_bus_message *reply, const struct task_list *tasks, const char **patterns, size_t n_patterns,
		    struct task_row *ret)
{
	uint32_t tid, tgid, reason, pattern, policy, flags;
	int32_t class, nice;
	uint64_t slice_ns;
	int r = sd_bus_message_read(reply, BUS_TASK, &tid, &tgid, &class, &reason, &pattern, &policy, &nice, &slice_ns,
				    &flags);

	if (r <= 0)
		return r;
	*ret = (struct task_row){
		.tid = (pid_t)tid,
		.tgid = (pid_t)tgid,
		.app = pattern && pattern < n_patterns ? patterns[pattern] : NULL,
		.slice_ns = slice_ns,
		.class = class >= 0 && (size_t) class < tasks->n_classes ? tasks->classes[class] : NULL,
		.rank = (uint16_t) class,
		.nice = (int16_t)nice,
		.reason = reason < tasks->n_reasons ? tasks->reasons[reason] : "?",
		.policy = (uint8_t)policy,
		.flags = (uint8_t)flags,
		.tasks = 1,
	};
	ret->differ = (flags & BUS_TASK_DIFFERS) != 0;
	ret->refused = strcmp(ret->reason, "refused") == 0;
	return 1;
}

static int read_rows(sd_bus_message *reply, struct task_list *tasks, const char **patterns, size_t n_patterns)
{
	int r = sd_bus_message_enter_container(reply, 'a', BUS_TASK);

	while (r >= 0) {
		struct task_row *rows = array_room(tasks->rows, tasks->n_rows, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		tasks->rows = rows;
		r = read_row(reply, tasks, patterns, n_patterns, &rows[tasks->n_rows]);
		if (r == 0)
			return sd_bus_message_exit_container(reply);
		tasks->n_rows += r > 0;
	}
	return r;
}

static int compare_tids(const void *a, const void *b)
{
	return ((const struct task_row *)a)->tid - ((const struct task_row *)b)->tid;
}

int tasks_read(struct task_list *ret)
{
	_cleanup_free_ const char **patterns = NULL;
	size_t n_patterns = 0;
	int r;

	if (client_call(BUS_INTERFACE, "ListTasks", &ret->reply, ""))
		return -EIO;
	r = read_strings(ret->reply, &ret->classes, &ret->n_classes);
	if (r >= 0)
		r = read_strings(ret->reply, &ret->reasons, &ret->n_reasons);
	if (r >= 0)
		r = read_strings(ret->reply, &patterns, &n_patterns);
	if (r >= 0)
		r = read_rows(ret->reply, ret, patterns, n_patterns);
	if (r < 0) {
		log_error("cannot read the daemon's answer: %s", strerror(-r));
		tasks_clear(ret);
	} else {
		qsort(ret->rows, ret->n_rows, sizeof(*ret->rows), compare_tids);
	}
	return r < 0 ? r : 0;
}

void tasks_clear(struct task_list *tasks)
{
	sd_bus_message_unref(tasks->reply);
	free(tasks->rows);
	free(tasks->classes);
	free(tasks->reasons);
	*tasks = (struct task_list){ 0 };
}

int task_text_compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
}

static void merge_row(struct task_row *row, const struct task_row *one)
{
	row->tasks += one->tasks;
	row->differ += one->differ;
	row->refused += one->refused;
	row->run_ns += one->run_ns;
	row->delay_ns += one->delay_ns;
	row->waits += one->waits;
}

static int compare_rows(const void *a, const void *b, void *compare)
{
	const struct task_row *first = a, *second = b;
	int order = (*(task_row_compare **)compare)(first, second);

	if (!order)
		order = COMPARE(first->tid != first->tgid, second->tid != second->tgid);
	return order ? order : COMPARE(first->tid, second->tid);
}

size_t task_rows_merge(struct task_row *rows, size_t count, task_row_compare *compare)
{
	size_t n = 0;

	qsort_r(rows, count, sizeof(*rows), compare_rows, &compare);
	for (size_t i = 0; i < count; i++) {
		if (n && compare(&rows[n - 1], &rows[i]) == 0)
			merge_row(&rows[n - 1], &rows[i]);
		else
			rows[n++] = rows[i];
	}
	return n;
}

void task_row_read_use(int proc, struct task_row *row)
{
	struct procfs_schedstat times;

	if (procfs_schedstat(proc, row->tid, &times) < 0)
		return;
	row->run_ns = times.run_ns;
	row->delay_ns = times.delay_ns;
	row->waits = times.waits;
}
