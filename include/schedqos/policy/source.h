/* SPDX-License-Identifier: GPL-2.0-only */
/* A place in the configuration, for messages and for the precedence of patterns. */
#pragma once

#include <stdint.h>

struct source {
	uint32_t line;	 /* from 1; 0: built in, no file */
	uint16_t column; /* from 1, in bytes */
	uint16_t file;	 /* index into the configuration's files; later files override earlier ones */
};

/* Compares two places by precedence, for qsort: the later file comes first, then the earlier line and column. */
static inline int source_compare(const struct source *a, const struct source *b)
{
	if (a->file != b->file)
		return a->file > b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}
