/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats tables for list and top. */
#include "text_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

#define COLUMNS_MAX 16

/* Widest column on a terminal, except the last, so that a long name does not push the others off the screen. */
#define CELL_MAX 24

/*
 * Returns the number of bytes in the first `width` characters of UTF-8 text, or in all if there are fewer. Bytes that
 * continue a character do not count as characters.
 */
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

static void measure_columns(const char *cell, const char *align, size_t max, size_t *ret_widths)
{
	size_t column = 0, len, shown;

	for (; *cell; cell += len + 1) {
		/* Somebody may have taken the bridge over, and send names with tabs. */
		if (!align[column])
			column--;
		len = strcspn(cell, "\t\n");
		bytes_of(cell, len, align[column + 1] ? max : SIZE_MAX, &shown);
		if (shown > ret_widths[column])
			ret_widths[column] = shown;
		column = cell[len] == '\n' ? 0 : column + 1;
	}
}

static void end_line(struct text_buf *out)
{
	while (out->len && out->text[out->len - 1] == ' ')
		out->len--;
	text_buf_put(out, "\n", 1);
}

void text_table_print(struct text_buf *rows, const char *align, bool on_terminal, struct text_buf *out)
{
	_cleanup_free_ char *text = text_buf_take(rows);
	size_t widths[COLUMNS_MAX] = { 0 }, column = 0, len, shown;

	out->failed |= !text;
	if (!text)
		return;
	measure_columns(text, align, on_terminal ? CELL_MAX : SIZE_MAX, widths);
	for (const char *cell = text; *cell; cell += len + 1) {
		bool is_right;
		size_t bytes;
		int pad;

		if (!align[column])
			column--;
		is_right = align[column] == 'r';
		len = strcspn(cell, "\t\n");
		bytes = bytes_of(cell, len, widths[column], &shown);
		pad = (int)(widths[column++] - shown);
		text_buf_printf(out, "%*s%.*s%*s", is_right ? pad : 0, "", (int)bytes, cell, is_right ? 1 : pad + 1,
				"");
		if (cell[len] == '\n') {
			end_line(out);
			column = 0;
		}
	}
}

void text_table_cut(char *text, size_t width)
{
	char *to = text;
	size_t shown;

	while (*text) {
		const size_t len = strcspn(text, "\n"), kept = bytes_of(text, len, width, &shown);

		memmove(to, text, kept);
		to += kept;
		text += len;
		if (*text)
			*to++ = *text++;
	}
	*to = '\0';
}

bool text_table_is_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

/*
 * Writes all in one call, so that Ctrl-C cannot leave the terminal with wrapping turned off. Wrapping is off because of
 * characters that take two cells.
 */
bool text_table_show(const char *begin, char *text)
{
	_cleanup_free_ char *all = NULL;
	struct winsize size = { 0 };

	if (!text_table_is_screen())
		return fputs(text, stdout) >= 0;
	/* A serial line does not report its size. */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		text_table_cut(text, size.ws_col);
	return asprintf(&all, "%s\033[?7l%s\033[?7h", begin, text) >= 0 && fflush(stdout) == 0 &&
	       write_full(STDOUT_FILENO, all, strlen(all)) == 0;
}
