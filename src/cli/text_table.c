/* SPDX-License-Identifier: GPL-2.0-only */
#include "text_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

#define COLUMNS_MAX 16

/* On a terminal no column but the last is wider: the others have to find room. */
#define CELL_MAX 24

/* The bytes of the first `width` characters of UTF-8, or of all; those that continue a character do not count. */
static size_t bytes_of(const char *text, size_t len, size_t width, size_t *ret_width)
{
	size_t i = 0;

	*ret_width = 0;
	for (; i < len; i++) {
		const bool is_first = (text[i] & 0xc0) != 0x80;

		if (is_first && *ret_width == width)
			break;
		*ret_width += is_first;
	}
	return i;
}

static void measure(const char *cell, const char *align, size_t width, size_t *ret_widths)
{
	size_t column = 0, len, shown;

	for (; *cell; cell += len + 1) {
		const size_t max = width && align[column + 1] ? CELL_MAX : SIZE_MAX;

		len = strcspn(cell, "\t\n");
		bytes_of(cell, len, max, &shown);
		if (shown > ret_widths[column])
			ret_widths[column] = shown;
		column = cell[len] == '\n' ? 0 : column + 1;
	}
}

static void put_line(const char *line, size_t width, struct text_buf *out)
{
	size_t shown, len = bytes_of(line, strlen(line), width ? width : SIZE_MAX, &shown);

	while (len && line[len - 1] == ' ')
		len--;
	text_buf_put(out, line, len);
	text_buf_put(out, "\n", 1);
}

void text_table_print(struct text_buf *rows, const char *align, size_t width, struct text_buf *out)
{
	_cleanup_free_ char *text = text_buf_take(rows);
	size_t widths[COLUMNS_MAX] = { 0 }, column = 0, len, shown;
	struct text_buf line = { 0 };

	out->failed |= !text;
	if (!text)
		return;
	measure(text, align, width, widths);
	for (const char *cell = text; *cell; cell += len + 1) {
		const bool is_right = align[column] == 'r';
		size_t used;

		len = strcspn(cell, "\t\n");
		used = bytes_of(cell, len, widths[column], &shown);
		text_buf_printf(&line, "%*s", is_right ? (int)(widths[column] - shown) : 0, "");
		text_buf_put(&line, cell, used);
		text_buf_printf(&line, "%*s", (is_right ? 0 : (int)(widths[column] - shown)) + 1, "");
		column++;
		if (cell[len] != '\n')
			continue;
		out->failed |= line.failed;
		if (!line.failed)
			put_line(line.text, width, out);
		line.len = column = 0;
	}
	free(line.text);
}

size_t terminal_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
