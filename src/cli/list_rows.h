/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of `list`: a process each, or what of it agrees. Nothing here asks the kernel or the
 * daemon. */
#pragma once

#include <schedqos/measure/usage.h>

#include "task_list.h"

struct list_row {
	const struct listed_task *task;	   /* of those it stands for, the leader, or else any */
	const struct listed_task *threads; /* all that it stands for */
	size_t n_threads;
	bool is_whole;		 /* these are all that the process has */
	struct task_usage usage; /* of all of them; names, user and parent are the task's */
	unsigned depth;		 /* below the tree's root */
};

struct list_rows {
	struct list_row *rows;
	size_t count;
};

/*
 * Sorts the tasks and makes the rows: for each process one for all threads that agree in everything
 * that is shown, or with each_thread one for every thread. -ENOMEM; the caller frees rows->rows.
 */
int list_rows_make(struct task_list *list, bool each_thread, struct list_rows *ret);

/* By class, rule, process. */
void list_rows_sort(const struct task_list *list, struct list_rows *rows);

/* Children below their parents (usage.ppid), which set depth; what is not below anything shown is a
 * root. -ENOMEM. */
int list_rows_sort_as_tree(struct list_rows *rows);

/* Removes the rows that keep() is false for. */
void list_rows_filter(struct list_rows *rows,
		      bool (*keep)(const struct list_row *row, const void *context),
		      const void *context);
