/* SPDX-License-Identifier: GPL-2.0-only */
#include "list_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* ---- rows ---- */

/* By what is shown of a task. */
static int compare_shown(const struct listed_task *a, const struct listed_task *b)
{
	const int64_t first[] = { a->qos_class, a->rule, a->reason,  a->flags,
				  a->policy,	a->nice, a->slice_ns };
	const int64_t second[] = { b->qos_class, b->rule, b->reason,  b->flags,
				   b->policy,	 b->nice, b->slice_ns };

	for (size_t i = 0; i < array_size(first); i++) {
		if (first[i] != second[i])
			return COMPARE(first[i], second[i]);
	}
	return 0;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct listed_task *first = a, *second = b;
	int order = COMPARE(first->tgid, second->tgid);

	if (!order)
		order = compare_shown(first, second);
	return order ? order : COMPARE(first->tid, second->tid);
}

/* How many from the first on agree. */
static size_t count_agreeing(const struct listed_task *first, const struct listed_task *end)
{
	const struct listed_task *task = first + 1;

	while (task < end && task->tgid == first->tgid && compare_shown(task, first) == 0)
		task++;
	return (size_t)(task - first);
}

static const struct listed_task *find_leader(const struct listed_task *threads, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (threads[i].tid == threads[i].tgid)
			return &threads[i];
	}
	return threads;
}

int list_rows_make(struct task_list *list, bool each_thread, struct list_rows *ret)
{
	const struct listed_task *task = list->tasks, *end = task + list->n_tasks;
	struct list_row *rows = calloc(list->n_tasks + 1, sizeof(*rows));

	*ret = (struct list_rows){ .rows = rows };
	if (!rows)
		return -ENOMEM;
	qsort(list->tasks, list->n_tasks, sizeof(*list->tasks), compare_tasks);
	for (size_t n; task < end; task += n) {
		n = each_thread ? 1 : count_agreeing(task, end);
		rows[ret->count++] = (struct list_row){
			.task = find_leader(task, n),
			.threads = task,
			.n_threads = n,
			.is_whole = (task == list->tasks || task[-1].tgid != task->tgid) &&
				    (task + n == end || task[n].tgid != task->tgid),
		};
	}
	return 0;
}

void list_rows_filter(struct list_rows *rows,
		      bool (*keep)(const struct list_row *row, const void *context),
		      const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (keep(&rows->rows[i], context))
			rows->rows[kept++] = rows->rows[i];
	}
	rows->count = kept;
}

/* ---- order ---- */

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return COMPARE(!a, !b);
	return strcmp(a, b);
}

/* The class's number is its rank; tasks without one come last. */
static int compare_by_class(const void *a, const void *b, void *context)
{
	const struct task_list *list = context;
	const struct listed_task *first = ((const struct list_row *)a)->task,
				 *second = ((const struct list_row *)b)->task;
	int order = COMPARE(first->qos_class, second->qos_class);

	if (!order)
		order = compare_texts(task_list_app(list, first), task_list_app(list, second));
	if (!order)
		order = COMPARE(first->tgid, second->tgid);
	return order ? order : COMPARE(first->tid, second->tid);
}

void list_rows_sort(const struct task_list *list, struct list_rows *rows)
{
	qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare_by_class, (void *)list);
}

static int compare_by_pid(const void *a, const void *b)
{
	const struct listed_task *first = ((const struct list_row *)a)->task,
				 *second = ((const struct list_row *)b)->task;
	int order = COMPARE(first->tgid, second->tgid);

	/* The leader's first, so that the others come below it. */
	if (!order)
		order = COMPARE(first->tid != first->tgid, second->tid != second->tgid);
	return order ? order : COMPARE(first->tid, second->tid);
}

#define NO_ROW SIZE_MAX

/* Of each row: its first child, and the next child of its own parent. */
struct link {
	size_t child, next, parent;
};

/* The first row of the process, which is its leader's if that is shown; rows are sorted by pid. */
static size_t find_process(const struct list_rows *rows, pid_t tgid)
{
	size_t low = 0, high = rows->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (rows->rows[middle].task->tgid < tgid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < rows->count && rows->rows[low].task->tgid == tgid ? low : NO_ROW;
}

/*
 * Parents were read one after the other while processes ended and ids were used again. So only a
 * chain of parents that ends is believed.
 */
static bool is_below(const struct link *links, size_t row, size_t ancestor)
{
	while (row != NO_ROW && row != ancestor)
		row = links[row].parent;
	return row != NO_ROW;
}

static size_t find_parent(const struct list_rows *rows, const struct link *links, size_t at)
{
	const struct list_row *row = &rows->rows[at];
	const size_t own = find_process(rows, row->task->tgid);
	size_t parent = own < at ? own : find_process(rows, row->usage.ppid);

	if (!row->usage.ppid && own >= at)
		parent = NO_ROW;
	return parent != NO_ROW && is_below(links, parent, at) ? NO_ROW : parent;
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

static void link_rows(const struct list_rows *rows, struct link *links, size_t *first)
{
	for (size_t i = 0; i < rows->count; i++)
		links[i] = (struct link){ NO_ROW, NO_ROW, NO_ROW };
	for (size_t i = 0; i < rows->count; i++)
		links[i].parent = find_parent(rows, links, i);
	*first = NO_ROW;
	for (size_t i = rows->count; i-- > 0;) {
		size_t *head = links[i].parent == NO_ROW ? first : &links[links[i].parent].child;

		links[i].next = *head;
		*head = i;
	}
}

int list_rows_sort_as_tree(struct list_rows *rows)
{
	_cleanup_free_ struct link *links = calloc(rows->count + 1, sizeof(*links));
	struct list_row *sorted = calloc(rows->count + 1, sizeof(*sorted));
	size_t count = 0, at;
	unsigned depth = 0;

	if (!links || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_by_pid);
	link_rows(rows, links, &at);
	for (; at != NO_ROW; at = next_of_walk(links, at, &depth)) {
		sorted[count] = rows->rows[at];
		sorted[count++].depth = depth;
	}
	free(rows->rows);
	*rows = (struct list_rows){ sorted, count };
	return 0;
}
