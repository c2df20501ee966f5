/* SPDX-License-Identifier: GPL-2.0-only */
/* A table for people: columns as wide as they need, lines cut to the width of the terminal. */
#pragma once

#include <stddef.h>

#include <schedqos/util/text.h>

/*
 * Appends the table to out. rows: a line for each, first that of the heads, with tabs between the cells; it is empty
 * afterwards. align: 'l' or 'r' for each column, at most 16. width: 0 for any.
 */
void text_table_print(struct text_buf *rows, const char *align, size_t width, struct text_buf *out);

/* The width of the terminal that standard output is, or 0 if it is none. */
size_t terminal_width(void);
