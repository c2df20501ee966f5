/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of weights that were set: for each unit a symbolic link of its name, in /run/schedqos, which is made before
 * the weight is set and removed after it is put back. Either is one step, so that whoever reads them after a kill at any
 * moment knows all: what a link has and its unit has not was never set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_weight {
	uint64_t before, set; /* UINT64_MAX: none */
	bool is_transient;    /* its unit goes with all that was set on it */
};

/* Locks the folder. A descriptor of it; -EBUSY while another process has it; or another -errno. */
int record_open(const char *path);

/* Whether the unit's weight was set. */
bool record_find(int record, const char *unit, struct kept_weight *ret);

/* 0 or -errno, and nothing has changed. */
int record_add(int record, const char *unit, const struct kept_weight *kept);

/* One that cannot be removed does no harm: its unit no longer carries what was set. 0 or -errno. */
int record_remove(int record, const char *unit);

/* Calls found for each unit in it, until that returns less than 0. found may remove it. 0 or -errno. */
int record_each(int record, int (*found)(void *context, const char *unit), void *context);
