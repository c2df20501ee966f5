/* SPDX-License-Identifier: GPL-2.0-only */
/* A sched profile is a named set of values for the kernel's own scheduling knobs. The machine applies it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/policy/source.h>
#include <schedqos/util/terms.h>

struct knob {
	enum knob_tree tree;
	const char *devices; /* KNOB_BLOCK: glob on the device names; else NULL */
	const char
		*file; /* one path component; for KNOB_DEBUGFS (llc_balancing/enabled) and KNOB_SYSCTL
			  (kernel/sched_rt_period_us) a relative path without ".." */
	const char *const *values; /* written one by one, in this order */
	size_t n_values;
	struct source source;
};

struct sched_profile {
	const char *name;
	struct knob *knobs;
	size_t n_knobs;
	struct source source;
};

/* Upstream's profiles throughput, interactive and qos, and qos-preempt from the announcement's last measurement. */
#define PROFILE_BUILTIN_COUNT 4
extern const struct sched_profile profile_builtin[PROFILE_BUILTIN_COUNT];

/* Returns the profile of that name, or NULL. */
const struct sched_profile *sched_profile_find(const struct sched_profile *profiles, size_t count,
					       const char *name);

/* Returns whether two profiles have the same name and knobs, whatever their source. NULL stands for no profile. */
bool sched_profile_equal(const struct sched_profile *a, const struct sched_profile *b);

/* Returns the key of the tree in a profile, such as "debugfs". Static storage. */
const char *knob_tree_name(enum knob_tree tree);
