/* SPDX-License-Identifier: GPL-2.0-only */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <schedqos/kernel/host.h>

void found(struct checkup *checkup, enum finding_state state, const char *name, const char *consequence,
	   const char *remedy, const char *what, ...)
{
	struct findings *findings = &checkup->findings;
	struct finding *items = reallocarray(findings->items, findings->count + 1, sizeof(*items));
	char *text;
	va_list args;

	va_start(args, what);
	if (vasprintf(&text, what, args) < 0)
		text = NULL;
	va_end(args);
	if (items)
		findings->items = items;
	if (items && text) {
		items[findings->count++] = (struct finding){ name, state, text, consequence, remedy };
		return;
	}
	free(text);
	findings->no_memory = true;
}

void findings_clear(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->items[i].what);
	free(findings->items);
	*findings = (struct findings){ 0 };
}

const char *finding_state_name(enum finding_state state)
{
	static const char *const names[] = { [FINDING_OK] = "ok", [FINDING_NOTE] = "note", [FINDING_BAD] = "bad" };

	return names[state];
}

int checkup_read(const struct checkup *checkup, const char *path, char *buf, size_t size)
{
	int r = host_read_at(checkup->root, path, buf, size);

	if (r < 0)
		*buf = '\0';
	return r;
}

int checkup_open(const struct checkup *checkup, const char *path)
{
	int fd = openat(checkup->root, host_path(checkup->root, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}
