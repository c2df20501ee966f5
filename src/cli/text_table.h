/* SPDX-License-Identifier: GPL-2.0-only */
/* A table for people: columns as wide as they need, cut to the width of the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/util/text.h>

#define TABLE_COLUMNS_MAX 16

/* Starts with its columns' heads; a column may be to the right, and may give way where the terminal
 * is too narrow. */
struct text_table {
	struct {
		const char *head;
		bool right, gives_way;
	} columns[TABLE_COLUMNS_MAX];
	size_t n_columns;
	char **cells; /* row by row */
	size_t n_cells, size;
	bool failed; /* without memory */
};

/* Adds the next cell; text is escaped already, and copied. */
void text_table_add(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends the table, lines of at most `width` characters (0: any), to out. */
void text_table_print(const struct text_table *table, size_t width, struct text_buf *out);
void text_table_clear(struct text_table *table);

/* The width of the terminal that standard output is, or 0 if it is none. */
size_t terminal_width(void);
