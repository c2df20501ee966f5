/* SPDX-License-Identifier: GPL-2.0-only */
/* A place in the configuration. */
#pragma once

#include <stdint.h>

struct source {
	uint32_t line;	 /* from 1; 0: built in, no file */
	uint16_t column; /* from 1, in bytes */
	uint16_t file;	 /* index into the configuration's files; later files override earlier ones */
};

/* Later files first, then earlier lines: negative, 0 or positive as for qsort. */
static inline int source_compare(const struct source *a, const struct source *b)
{
	if (a->file != b->file)
		return a->file > b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}
