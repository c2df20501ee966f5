/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of changed knobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "knob_plan.h"

struct knob_records {
	struct knob_record *items;
	size_t count;
	char *profile; /* name of the one applied, or NULL */
};

/* Frees *ret and replaces it by a copy; the copy of NULL is NULL. False without memory. */
bool copy_text(const char *text, char **ret);

void knob_record_clear(struct knob_record *record);
void knob_records_clear(struct knob_records *records);

/* Adds a copy. 0 or -ENOMEM. */
int knob_records_add(struct knob_records *records, const struct knob_record *record);
