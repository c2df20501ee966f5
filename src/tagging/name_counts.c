/* SPDX-License-Identifier: GPL-2.0-only */
#include "name_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/text.h>

/* As many as a line of a terminal has room for. Each takes up to 60 bytes when it has been escaped. */
#define SHOWN_MAX 6

void name_counts_add(struct name_counts *counts, const char *name)
{
	size_t i;

	counts->tasks++;
	for (i = 0; i < counts->n_names; i++) {
		if (strcmp(counts->names[i].name, name) == 0)
			break;
	}
	if (i == NAME_COUNTS_MAX)
		return;
	if (i == counts->n_names) {
		counts->n_names++;
		snprintf(counts->names[i].name, sizeof(counts->names[i].name), "%s", name);
	}
	counts->names[i].tasks++;
}

/* The most frequent first; of equal ones in the order of bytes, so that the same tasks give the same text. */
static int compare(const void *va, const void *vb)
{
	const struct name_count *a = va, *b = vb;

	if (a->tasks != b->tasks)
		return a->tasks > b->tasks ? -1 : 1;
	return strcmp(a->name, b->name);
}

char *name_counts_text(struct name_counts *counts, char buf[NAME_COUNTS_TEXT_MAX])
{
	unsigned int left = counts->tasks;
	int n = 0;

	buf[0] = '\0';
	qsort(counts->names, counts->n_names, sizeof(counts->names[0]), compare);
	for (size_t i = 0; i < counts->n_names && i < SHOWN_MAX; i++) {
		const struct name_count *each = &counts->names[i];
		char name[TASK_COMM_LEN * 4];

		text_escape_to(name, sizeof(name), each->name, strlen(each->name));
		n += snprintf(buf + n, NAME_COUNTS_TEXT_MAX - n, "%s%s", i ? ", " : "", name);
		if (each->tasks > 1)
			n += snprintf(buf + n, NAME_COUNTS_TEXT_MAX - n, " %u", each->tasks);
		left -= each->tasks;
	}
	if (left)
		snprintf(buf + n, NAME_COUNTS_TEXT_MAX - n, " and %u more", left);
	return buf;
}
