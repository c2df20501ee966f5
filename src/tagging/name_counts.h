/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of tasks by name, and the most frequent ones as text. */
#pragma once

#include <stddef.h>

#include <schedqos/policy/facts.h>

/* Of more names only the tasks are counted. */
#define NAME_COUNTS_MAX 64
#define NAME_COUNTS_TEXT_MAX 640

/* Starts as all zeroes. */
struct name_counts {
	struct name_count {
		char name[TASK_COMM_LEN]; /* raw: a task chose it */
		unsigned int tasks;
	} names[NAME_COUNTS_MAX];
	size_t n_names;
	unsigned int tasks;
};

/* Counts one task of that name, which has at most 15 bytes. */
void name_counts_add(struct name_counts *counts, const char *name);

/*
 * "make 3, sh 2, cc1 and 5 more": the most frequent names, escaped, then the number of tasks of all others. Sorts
 * the names. Returns buf.
 */
char *name_counts_text(struct name_counts *counts, char buf[NAME_COUNTS_TEXT_MAX]);
