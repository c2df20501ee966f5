/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the [X-SchedQoS] section of unit files. */
#include "classes.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text.h>

#define SIZE_MAX_BYTES (1024 * 1024)

static const char blank[] = " \t\r\n";

/* ---- lines ---- */

/* Removes blanks on both sides. */
static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(blank, end[-1]))
		*--end = '\0';
	return text + strspn(text, blank);
}

static void take_line(char *text, unsigned number, bool *is_ours, struct unit_said *ret)
{
	char *value;

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
	ret->line = number;
	text_escape_to(ret->qos, sizeof(ret->qos), value, strlen(value));
}

/* Returns whether the line ends with a backslash that is not itself escaped. */
static bool is_continued(const char *line)
{
	const size_t length = strlen(line);
	size_t backslashes = 0;

	while (backslashes < length && line[length - 1 - backslashes] == '\\')
		backslashes++;
	return backslashes % 2;
}

void unit_file_parse(char *text, struct unit_said *ret)
{
	bool is_ours = false, goes_on = false;
	unsigned number = 1;
	char *line;

	*ret = (struct unit_said){ 0 };
	for (; (line = strsep(&text, "\n")); number++) {
		const bool was_continued = goes_on, will_go_on = is_continued(line);

		line = trim(line);
		/* Comments may also stand inside a continued line. */
		if (*line == '#' || *line == ';')
			continue;
		goes_on = will_go_on;
		if (!was_continued)
			take_line(line, number, &is_ours, ret);
	}
}

/* ---- files ---- */

int unit_file_read(const char *path, struct unit_said *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_text_file(path, SIZE_MAX_BYTES, &text, &size);

	*ret = (struct unit_said){ 0 };
	if (r == 0)
		unit_file_parse(text, ret);
	/* -EINVAL: not a regular file. A masked unit is a link to /dev/null. */
	return r == -EINVAL ? 0 : r;
}
