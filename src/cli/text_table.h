/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats a table with columns as wide as they need to be. */
#pragma once

#include <stdbool.h>

#include <schedqos/util/text.h>

/*
 * Appends the table to out. rows holds one line each, the first with the heads, with tabs between cells; it is empty
 * afterwards. align has 'l' or 'r' for each of at most 16 columns. on_terminal tells whether to cut long cells.
 */
void text_table_print(struct text_buf *rows, const char *align, bool on_terminal, struct text_buf *out);

/* Cuts each line of the text to so many characters. */
void text_table_cut(char *text, size_t width);

/* Returns whether standard output is a terminal that obeys escape sequences. */
bool text_table_is_screen(void);

/*
 * Writes the text to standard output. On a screen `begin` comes first, and the text's lines are cut at the edge.
 * Returns false on failure.
 */
bool text_table_show(const char *begin, char *text);
