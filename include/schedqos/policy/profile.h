/* SPDX-License-Identifier: GPL-2.0-only */
/* A sched profile: a named set of values for the kernel's own scheduling knobs. */
#pragma once

#include <stddef.h>

#include <schedqos/policy/source.h>

enum knob_tree {
	KNOB_DEBUGFS, /* a file under sched/ of debugfs */
	KNOB_CPUFREQ, /* a file of every cpufreq policy */
};

struct knob {
	enum knob_tree tree;
	const char *file;	    /* relative to the tree; one path component */
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

/* Upstream's three: throughput, interactive, qos. */
#define PROFILE_BUILTIN_COUNT 3
extern const struct sched_profile profile_builtin[PROFILE_BUILTIN_COUNT];
