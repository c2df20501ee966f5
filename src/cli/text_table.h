/* SPDX-License-Identifier: GPL-2.0-only */
/* A table for people, with columns as wide as they need. */
#pragma once

#include <stdbool.h>

#include <schedqos/util/text.h>

/*
 * Appends the table to out. rows: a line for each, first that of the heads, with tabs between the cells; it is empty
 * afterwards. align: 'l' or 'r' for each column, at most 16. on_terminal: whether long cells are cut.
 */
void text_table_print(struct text_buf *rows, const char *align, bool on_terminal, struct text_buf *out);

/* Writes the text to standard output; a terminal gets `begin` before it, and cuts its lines. False: it has failed. */
bool text_table_show(const char *begin, const char *text);
