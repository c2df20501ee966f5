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
	bool is_sound; /* it is about what it plays, not about what it shows */
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

static struct line *find_line(struct print *print, pid_t pid, bool is_sound)
{
	struct line *lines;

	for (size_t i = 0; i < print->n; i++) {
		if (print->lines[i].pid == pid && print->lines[i].is_sound == is_sound)
			return &print->lines[i];
	}
	lines = reallocarray(print->lines, print->n + 1, sizeof(*lines));
	if (!lines)
		return NULL;
	print->lines = lines;
	lines += print->n++;
	*lines = (struct line){ .pid = pid, .is_sound = is_sound };
	process_name(pid, lines->name, sizeof(lines->name));
	return lines;
}

static void print_line(const struct line *line, const char *text)
{
	printf("%7d %-16s %s\n", (int)line->pid, line->name, text);
}

static void say(struct print *print, pid_t pid, bool is_sound, const char *text)
{
	struct line *line = find_line(print, pid, is_sound);

	if (!line)
		return;
	line->is_there = true;
	if (strcmp(text, line->text) == 0)
		return;
	snprintf(line->text, sizeof(line->text), "%s", text);
	print_line(line, text);
}

/* What is said of it, and what is seen where that is not the same yet. */
static void describe(const struct shown_app *app, char *buf, size_t size)
{
	const char *told = shown_level_name(app->told);

	if (!app->is_ours)
		snprintf(buf, size, "left alone: another user's, or part of the session");
	else if (app->is_heard)
		snprintf(buf, size, "%s (hidden, but may be heard)", told);
	else if (app->now != app->told)
		snprintf(buf, size, "%s (%s, if that lasts)", told, shown_level_name(app->now));
	else
		snprintf(buf, size, "%s", told);
}

void print_changes(struct print *print, const struct shown *shown, const struct sound *sound)
{
	pid_t heard[64];
	const size_t n = sound_list(sound, heard, array_size(heard));

	for (size_t i = 0; i < print->n; i++)
		print->lines[i].is_there = false;
	for (size_t i = 0; i < n && i < array_size(heard); i++)
		say(print, heard[i], true, heard[i] ? "plays sound" : "plays sound, nobody knows who: nothing is told hidden");
	for (size_t i = 0; i < shown->n_apps; i++) {
		char text[sizeof(print->lines->text)];

		describe(&shown->apps[i], text, sizeof(text));
		say(print, shown->apps[i].pid, false, text);
	}
	for (size_t i = print->n; i > 0; i--) {
		struct line *line = &print->lines[i - 1];

		if (line->is_there)
			continue;
		print_line(line, line->is_sound ? "plays no more" : "gone");
		*line = print->lines[--print->n];
	}
	fflush(stdout);
}
