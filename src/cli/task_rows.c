/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of tasks, joined and in order. Nothing here asks the kernel or the daemon. */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

int task_text_compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
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

/* ---- processes ---- */

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

/* ---- the tree ---- */

#define NO_ROW SIZE_MAX

/* Of each row: its first child, and the next child of its own parent. */
struct link {
	size_t child, next, parent;
};

/* By process, its leader's row first, so that the others come below it. */
static int compare_processes(const void *a, const void *b)
{
	const struct task_row *first = a, *second = b;
	int order = COMPARE(first->tgid, second->tgid);

	if (!order)
		order = COMPARE(first->tid != first->tgid, second->tid != second->tgid);
	return order ? order : COMPARE(first->tid, second->tid);
}

/* The first row of the process. */
static size_t find_process(const struct task_row *rows, size_t n, pid_t tgid)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (rows[middle].tgid < tgid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && rows[low].tgid == tgid ? low : NO_ROW;
}

/*
 * Parents were read one after the other while processes ended and ids were used again: a chain of parents that comes back
 * to the row itself is not believed.
 */
static size_t find_parent(const struct task_row *rows, size_t n, const struct link *links, size_t at)
{
	const size_t own = find_process(rows, n, rows[at].tgid);
	const size_t parent = own < at ? own : rows[at].usage.ppid ? find_process(rows, n, rows[at].usage.ppid) : NO_ROW;
	size_t above = parent;

	while (above != NO_ROW && above != at)
		above = links[above].parent;
	return above == at ? NO_ROW : parent;
}

static size_t link_rows(const struct task_row *rows, size_t n, struct link *links)
{
	size_t first = NO_ROW;

	for (size_t i = 0; i < n; i++)
		links[i] = (struct link){ NO_ROW, NO_ROW, NO_ROW };
	for (size_t i = 0; i < n; i++)
		links[i].parent = find_parent(rows, n, links, i);
	for (size_t i = n; i-- > 0;) {
		size_t *head = links[i].parent == NO_ROW ? &first : &links[links[i].parent].child;

		links[i].next = *head;
		*head = i;
	}
	return first;
}

/* The next row of a walk from parents to children. */
static size_t next_of_walk(const struct link *links, size_t at, unsigned *depth)
{
	if (links[at].child != NO_ROW) {
		++*depth;
		return links[at].child;
	}
	while (at != NO_ROW && links[at].next == NO_ROW) {
		at = links[at].parent;
		if (at != NO_ROW)
			--*depth;
	}
	return at == NO_ROW ? NO_ROW : links[at].next;
}

int task_rows_make_tree(struct task_row *rows, size_t n)
{
	_cleanup_free_ struct link *links = calloc(n + 1, sizeof(*links));
	_cleanup_free_ struct task_row *sorted = calloc(n + 1, sizeof(*sorted));
	size_t count = 0;
	unsigned depth = 0;

	if (!links || !sorted)
		return -ENOMEM;
	if (n)
		qsort(rows, n, sizeof(*rows), compare_processes);
	for (size_t at = link_rows(rows, n, links); at != NO_ROW; at = next_of_walk(links, at, &depth)) {
		sorted[count] = rows[at];
		sorted[count++].depth = depth;
	}
	memcpy(rows, sorted, count * sizeof(*rows));
	return 0;
}
