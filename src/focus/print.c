/* SPDX-License-Identifier: GPL-2.0-only */
#include "print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#include "process.h"

struct line {
	pid_t pid;
	char name[64], text[64];
	bool is_there;
};

struct print {
	struct line *lines;
	size_t n;
};

int print_open(struct print **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void print_close(struct print *print)
{
	if (print)
		free(print->lines);
	free(print);
}

static struct line *find_line(struct print *print, pid_t pid)
{
	struct line *lines;

	for (size_t i = 0; i < print->n; i++) {
		if (print->lines[i].pid == pid)
			return &print->lines[i];
	}
	lines = reallocarray(print->lines, print->n + 1, sizeof(*lines));
	if (!lines)
		return NULL;
	print->lines = lines;
	lines += print->n++;
	*lines = (struct line){ .pid = pid };
	process_name(pid, lines->name, sizeof(lines->name));
	return lines;
}

/* What is said of it, and what is seen where that is not the same yet. */
static void describe(const struct shown_app *app, char *buf, size_t size)
{
	const char *told = shown_level_name(app->told);

	if (!app->is_ours)
		snprintf(buf, size, "left alone: another user's, or part of the session");
	else if (app->is_heard)
		snprintf(buf, size, "%s (hidden, but heard)", told);
	else if (app->now != app->told)
		snprintf(buf, size, "%s (%s, if that lasts)", told, shown_level_name(app->now));
	else
		snprintf(buf, size, "%s", told);
}

void print_changes(struct print *print, const struct shown *shown)
{
	for (size_t i = 0; i < print->n; i++)
		print->lines[i].is_there = false;
	for (size_t i = 0; i < shown->n_apps; i++) {
		struct line *line = find_line(print, shown->apps[i].pid);
		char text[sizeof(line->text)];

		if (!line)
			continue;
		line->is_there = true;
		describe(&shown->apps[i], text, sizeof(text));
		if (strcmp(text, line->text) == 0)
			continue;
		memcpy(line->text, text, sizeof(text));
		printf("%7d %-16s %s\n", (int)line->pid, line->name, text);
	}
	for (size_t i = print->n; i > 0; i--) {
		struct line *line = &print->lines[i - 1];

		if (line->is_there)
			continue;
		printf("%7d %-16s gone\n", (int)line->pid, line->name);
		*line = print->lines[--print->n];
	}
	fflush(stdout);
}
