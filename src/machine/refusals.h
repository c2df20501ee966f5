/* SPDX-License-Identifier: GPL-2.0-only */
/* Knobs that could not be set, one line for each reason. */
#pragma once

#include <schedqos/machine/profile_result.h>
#include <schedqos/util/knob_tree.h>

struct refusals {
	struct refusal_group *groups;
	size_t n_groups;
	struct refusal *items; /* after refusals_finish */
	size_t count;
};

/* name: the knob's path for people (see knobs_name). error: the kernel's -errno. */
void refusals_add(struct refusals *refusals, enum knob_tree tree, const char *name, int error);

/* The kernel accepted what was wanted, but holds something else (now: NULL if it cannot be read). */
void refusals_add_mismatch(struct refusals *refusals, enum knob_tree tree, const char *name,
			   const char *wanted, const char *now);

/* Makes the lines; those that are not in before are new. On lack of memory, lines are left out. */
void refusals_finish(struct refusals *refusals, const struct refusals *before);

/* After refusals_finish: moves the new lines of `more` here. Those that were here are no longer new. */
void refusals_append(struct refusals *refusals, struct refusals *more);
void refusals_clear(struct refusals *refusals);
