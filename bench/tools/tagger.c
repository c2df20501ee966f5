/* SPDX-License-Identifier: GPL-2.0-only */
#include "listener.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void tagger_add(struct tag *list, unsigned *count, char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || *count == TAGS_MAX) {
		errno = EINVAL;
		die(text);
	}
	*equals = '\0';
	list[*count] = (struct tag){ text, parse_attr(equals + 1) };
	++*count;
}

static void set(struct tagger *tagger, const struct tag *list, unsigned count, pid_t tid,
		const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) != 0)
			continue;
		if (attr_set(tid, &list[i].attr))
			tagger->set++;
		else
			tagger->races++;
		return;
	}
}

void tagger_execed(struct tagger *tagger, pid_t pid)
{
	char link[32], path[PATH_MAX];
	const char *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0) {
		tagger->races++;
		return;
	}
	path[n] = '\0';
	slash = strrchr(path, '/');
	set(tagger, tagger->programs, tagger->n_programs, pid, slash ? slash + 1 : path);
}

void tagger_renamed(struct tagger *tagger, pid_t tid, const char *comm)
{
	set(tagger, tagger->threads, tagger->n_threads, tid, comm);
}
