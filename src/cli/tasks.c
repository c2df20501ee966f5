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

static int read_rows(sd_bus_message *reply, struct tasks *tasks, const char **patterns, size_t n_patterns)
{
	const int32_t (*numbers)[BUS_TASK_NUMBERS];
	size_t size;
	int r = sd_bus_message_read_array(reply, 'i', (const void **)&numbers, &size);

	if (r < 0)
		return r;
	tasks->rows = calloc(size / sizeof(*numbers) + 1, sizeof(*tasks->rows));
	if (!tasks->rows)
		return -ENOMEM;
	tasks->n_rows = size / sizeof(*numbers);
	for (size_t i = 0; i < tasks->n_rows; i++) {
		const uint32_t pattern = (uint32_t)numbers[i][2], class = (uint32_t)numbers[i][4],
			       why = (uint32_t)numbers[i][6];
		struct task_row *row = &tasks->rows[i];

		*row = (struct task_row){
			.tid = numbers[i][0],
			.tgid = numbers[i][1],
			.app = pattern && pattern < n_patterns ? patterns[pattern] : NULL,
			.slice_ns = (uint32_t)numbers[i][3],
			.class = class < tasks->n_classes ? tasks->classes[class] : NULL,
			.rank = (uint16_t)class,
			.nice = (int16_t)numbers[i][5],
			.reason = why < tasks->n_reasons ? tasks->reasons[why] : "?",
			.policy = (uint8_t)numbers[i][7],
			.flags = (uint8_t)numbers[i][8],
			.tasks = 1,
		};
		row->differ = (row->flags & BUS_TASK_DIFFERS) != 0;
		row->refused = strcmp(row->reason, "refused") == 0;
	}
	return 0;
}

static int compare_tids(const void *a, const void *b)
{
	return ((const struct task_row *)a)->tid - ((const struct task_row *)b)->tid;
}

int tasks_read(struct tasks *ret)
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
		log_error("what the daemon says: %s", strerror(-r));
		tasks_clear(ret);
	} else {
		qsort(ret->rows, ret->n_rows, sizeof(*ret->rows), compare_tids);
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

int task_text_compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
}

static void add_row(struct task_row *row, const struct task_row *one)
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
			add_row(&rows[n - 1], &rows[i]);
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
