/* SPDX-License-Identifier: GPL-2.0-only */
/* A sched profile: a named set of values for the kernel's own scheduling knobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/policy/source.h>
#include <schedqos/util/terms.h>

struct knob {
	enum knob_tree tree;
	const char *devices; /* KNOB_BLOCK: a glob of their names; else NULL */
	const char
		*file; /* one path component; a path where KNOB_DEBUGFS (llc_balancing/enabled) or
			  KNOB_SYSCTL (kernel/sched_rt_period_us); never a way up or out */
	const char *const *values; /* written one after another */
	size_t n_values;
	struct source source;
};

struct sched_profile {
	const char *name;
	struct knob *knobs;
	size_t n_knobs;
	struct source source;
};

/* Upstream's three, throughput, interactive and qos; and qos-preempt, of the announcement's last measurement. */
#define PROFILE_BUILTIN_COUNT 4
extern const struct sched_profile profile_builtin[PROFILE_BUILTIN_COUNT];

/* The profile of that name, or NULL. */
const struct sched_profile *sched_profile_find(const struct sched_profile *profiles, size_t count,
					       const char *name);

/* Whether the two have the same name and knobs, wherever they were written. Either may be NULL, for no profile. */
bool sched_profile_equal(const struct sched_profile *a, const struct sched_profile *b);

/* The tree's key in a profile: "debugfs". Static storage. */
const char *knob_tree_name(enum knob_tree tree);
