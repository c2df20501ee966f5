/* SPDX-License-Identifier: GPL-2.0-only */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *finding_state_name(enum finding_state state)
{
	switch (state) {
	case FINDING_OK:
		return "ok";
	case FINDING_NOTE:
		return "note";
	case FINDING_BAD:
		return "bad";
	}
	return NULL;
}

static char *copy(struct findings *findings, const char *text)
{
	char *copied = text ? strdup(text) : NULL;

	if (text && !copied)
		findings->no_memory = true;
	return copied;
}

void findings_add(struct findings *findings, const char *name, enum finding_state state,
		  const char *consequence, const char *remedy, const char *format, ...)
{
	struct finding *items = reallocarray(findings->items, findings->count + 1, sizeof(*items));
	char *what;
	va_list args;

	if (!items) {
		findings->no_memory = true;
		return;
	}
	va_start(args, format);
	if (vasprintf(&what, format, args) < 0) {
		what = NULL;
		findings->no_memory = true;
	}
	va_end(args);
	findings->items = items;
	items[findings->count++] = (struct finding){
		.name = name,
		.state = state,
		.what = what,
		.consequence = copy(findings, consequence),
		.remedy = copy(findings, remedy),
	};
}

void findings_clear(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		free(findings->items[i].what);
		free(findings->items[i].consequence);
		free(findings->items[i].remedy);
	}
	free(findings->items);
	*findings = (struct findings){ 0 };
}
