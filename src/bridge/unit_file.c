/* SPDX-License-Identifier: GPL-2.0-only */
#include "unit_file.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text.h>

#define SIZE_MAX_BYTES (1024 * 1024)

static const char blank[] = " \t\r\n";

/* ---- lines ---- */

/* Without the blanks on both sides. */
static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(blank, end[-1]))
		*--end = '\0';
	return text + strspn(text, blank);
}

/* A whole line, however many of the file's it was. */
static void take_line(char *line, unsigned number, bool *is_ours, struct unit_said *ret)
{
	char *text = trim(line), *value;

	if (*text == '[') {
		*is_ours = strcmp(text, "[X-SchedQoS]") == 0;
		return;
	}
	value = strchr(text, '=');
	if (!*is_ours || !value)
		return;
	*value++ = '\0';
	if (strcmp(trim(text), "Class") != 0)
		return;
	value = trim(value);
	ret->is_said = true;
	ret->line = number;
	text_escape_to(ret->qos, sizeof(ret->qos), value, strlen(value));
}

/* A backslash at its end, unless that is escaped, continues the line. */
static bool is_continued(const char *line, size_t length)
{
	size_t backslashes = 0;

	while (backslashes < length && line[length - 1 - backslashes] == '\\')
		backslashes++;
	return backslashes % 2;
}

void unit_file_parse(const char *text, size_t size, struct unit_said *ret)
{
	const char *const end = text + size, *next;
	unsigned number = 1, first = 1;
	struct text_buf whole = { 0 };
	bool is_ours = false;

	*ret = (struct unit_said){ 0 };
	for (; text < end; text = next, number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		_cleanup_free_ char *line = NULL;
		bool goes_on;

		next = newline ? newline + 1 : end;
		line = strndup(text, length);
		if (!line)
			break;
		length = strlen(line);
		/* Also in the midst of a continued one. */
		if (strchr("#;", line[strspn(line, blank)]) && line[strspn(line, blank)])
			continue;
		if (!whole.len)
			first = number;
		goes_on = is_continued(line, length);
		text_buf_put(&whole, line, length - goes_on);
		text_buf_put(&whole, " ", 1);
		if (goes_on && next < end)
			continue;
		free(take_ptr(line));
		line = text_buf_take(&whole);
		if (line)
			take_line(line, first, &is_ours, ret);
	}
	free(text_buf_take(&whole));
}

/* ---- files ---- */

int unit_file_read(const char *path, struct unit_said *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_text_file(path, SIZE_MAX_BYTES, &text, &size);

	*ret = (struct unit_said){ 0 };
	if (r == 0)
		unit_file_parse(text, size, ret);
	/* A unit that is masked is /dev/null. */
	return r == -EINVAL ? 0 : r;
}
