/* SPDX-License-Identifier: GPL-2.0-only */
/* Knobs that could not be had, told in as few lines as there are different reasons. */
#pragma once

#include <schedqos/machine/profile_result.h>
#include <schedqos/util/knob_tree.h>

struct refusals {
	struct refusal_group *groups;
	size_t n_groups;
	struct refusal *items; /* after refusals_finish */
	size_t count;
};

/* The knob's path for people (see knobs_name), and what the kernel said. */
void refusals_add(struct refusals *refusals, enum knob_tree tree, const char *name, int error);

/* The kernel accepted what was wanted and holds something else (NULL: nothing that can be read). */
void refusals_add_kept(struct refusals *refusals, enum knob_tree tree, const char *name,
		       const char *wanted, const char *now);

/* Makes the lines; those that are not among before's are new. Without memory there are fewer of them. */
void refusals_finish(struct refusals *refusals, const struct refusals *before);

/* Adds the lines of `more` that are new, after refusals_finish; of all others it is known by now. */
void refusals_append(struct refusals *refusals, struct refusals *more);
void refusals_clear(struct refusals *refusals);
