/* SPDX-License-Identifier: GPL-2.0-only */
#include "text_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Between columns, and what is left of one that gives way. */
#define GAP   1
#define LEAST 12

void text_table_add(struct text_table *table, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	if (table->n_cells == table->size) {
		const size_t size = table->size ? table->size * 2 : 256;
		char **cells = reallocarray(table->cells, size, sizeof(*cells));

		table->failed |= !cells;
		if (!cells)
			return;
		table->cells = cells;
		table->size = size;
	}
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		text = NULL;
		table->failed = true;
	}
	va_end(args);
	table->cells[table->n_cells++] = text;
}

void text_table_clear(struct text_table *table)
{
	for (size_t i = 0; i < table->n_cells; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->n_cells = table->size = 0;
}

/* Characters of UTF-8; those that continue one do not count. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

/* The bytes of its first `width` characters. */
static size_t bytes_of(const char *text, size_t width)
{
	const char *p = text;

	for (; *p; p++) {
		if ((*p & 0xc0) != 0x80 && width-- == 0)
			break;
	}
	return (size_t)(p - text);
}

static const char *cell_at(const struct text_table *table, size_t at)
{
	return table->cells[at] ? table->cells[at] : "";
}

static void measure(const struct text_table *table, size_t width, size_t *ret_widths)
{
	size_t total = 0;

	for (size_t i = 0; i < table->n_columns; i++)
		ret_widths[i] = width_of(table->columns[i].head);
	for (size_t i = 0; i < table->n_cells; i++) {
		const size_t cell = width_of(cell_at(table, i)), column = i % table->n_columns;

		if (cell > ret_widths[column])
			ret_widths[column] = cell;
	}
	for (size_t i = 0; i < table->n_columns; i++)
		total += ret_widths[i] + GAP;
	while (width && total > width + GAP) {
		size_t widest = table->n_columns;

		for (size_t i = 0; i < table->n_columns; i++) {
			if (table->columns[i].gives_way && ret_widths[i] > LEAST &&
			    (widest == table->n_columns || ret_widths[i] > ret_widths[widest]))
				widest = i;
		}
		if (widest == table->n_columns)
			break;
		ret_widths[widest]--;
		total--;
	}
}

static void put_cell(struct text_buf *line, const char *text, size_t width, bool right)
{
	const size_t full = width_of(text), shown = full < width ? full : width;

	text_buf_fill(line, ' ', right ? width - shown : 0);
	text_buf_put(line, text, shown == full ? strlen(text) : bytes_of(text, shown));
	text_buf_fill(line, ' ', (right ? 0 : width - shown) + GAP);
}

/* row: 0 is that of heads. line: memory for it, which is overwritten. */
static void print_row(const struct text_table *table, size_t row, const size_t *widths,
		      size_t width, struct text_buf *line, struct text_buf *out)
{
	size_t length;

	line->len = 0;
	for (size_t i = 0; i < table->n_columns; i++)
		put_cell(line,
			 row ? cell_at(table, (row - 1) * table->n_columns + i)
			     : table->columns[i].head,
			 widths[i], table->columns[i].right);
	out->failed |= line->failed;
	if (out->failed)
		return;
	length = width ? bytes_of(line->text, width) : line->len;
	while (length && line->text[length - 1] == ' ')
		length--;
	text_buf_put(out, line->text, length);
	text_buf_put(out, "\n", 1);
}

void text_table_print(const struct text_table *table, size_t width, struct text_buf *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	struct text_buf line = { 0 };

	out->failed |= table->failed;
	if (!table->n_columns)
		return;
	measure(table, width, widths);
	for (size_t row = 0; row <= table->n_cells / table->n_columns; row++)
		print_row(table, row, widths, width, &line, out);
	free(line.text);
}

size_t terminal_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col
										     : 0;
}
