/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of all programs in some folders. */
#pragma once

#include <stddef.h>

struct program_names {
	char **items; /* sorted; names that differ in case only stand together */
	size_t count;
};

/* folders: separated by colons; one that cannot be read is left out. 0 or -ENOMEM; either way the caller clears ret. */
int program_names_read(const char *folders, struct program_names *ret);
void program_names_clear(struct program_names *names);

/* This very name if there is one, else one that differs in case only, else NULL. */
const char *program_names_find(const struct program_names *names, const char *name);
