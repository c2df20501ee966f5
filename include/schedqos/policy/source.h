/* SPDX-License-Identifier: GPL-2.0-only */
/* A place in the configuration, for messages and for the precedence of patterns. */
#pragma once

#include <stdint.h>

struct source {
	/* A file of at most 4 MiB (CONFIG_SIZE_MAX) may be one line, as programs write them. */
	uint64_t line : 24;   /* from 1; 0: built in, no file */
	uint64_t column : 24; /* from 1, in bytes */
	uint64_t file : 16;   /* index into the configuration's files; later files override earlier ones */
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
