/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of tasks, joined and in order. Nothing here asks the kernel or the daemon. */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

int task_text_compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
}

int task_rows_compare_tids(const void *a, const void *b)
{
	return ((const struct task_row *)a)->tid - ((const struct task_row *)b)->tid;
}

void task_row_add(struct task_row *row, const struct task_row *one)
{
	row->tasks += one->tasks;
	row->ended += one->ended;
	row->differ += one->differ;
	row->refused += one->refused;
	row->usage.run_ns += one->usage.run_ns;
	row->usage.delay_ns += one->usage.delay_ns;
	row->usage.waits += one->usage.waits;
}

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

void task_rows_join(struct task_row *rows, size_t *n)
{
	size_t count = 0;

	if (*n)
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

void task_rows_sort(struct task_row *rows, size_t n)
{
	if (n)
		qsort(rows, n, sizeof(*rows), compare_classes);
}
