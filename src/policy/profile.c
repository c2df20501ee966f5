/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/config.h>

#include <string.h>

#define VALUE(text) ((const char *const[]){ text })

#define DEBUGFS(name, text)                                                                \
	{                                                                                  \
		.tree = KNOB_DEBUGFS, .file = (name), .values = VALUE(text), .n_values = 1 \
	}

#define TWO_FEATURES(one, other)                                                   \
	{                                                                          \
		.tree = KNOB_DEBUGFS, .file = "features",                          \
		.values = (const char *const[]){ (one), (other) }, .n_values = 2 \
	}

#define CPUFREQ(name, text)                                                                \
	{                                                                                  \
		.tree = KNOB_CPUFREQ, .file = (name), .values = VALUE(text), .n_values = 1 \
	}

#define KNOBS 3

static struct knob throughput[KNOBS] = {
	DEBUGFS("base_slice_ns", "8000000"),
	DEBUGFS("features", "NO_HRTICK"),
	CPUFREQ("scaling_governor", "schedutil"),
};

static struct knob interactive[KNOBS] = {
	DEBUGFS("base_slice_ns", "4000000"),
	DEBUGFS("features", "HRTICK"),
	CPUFREQ("scaling_governor", "schedutil"),
};

static struct knob qos[KNOBS] = {
	DEBUGFS("base_slice_ns", "16000000"),
	DEBUGFS("features", "HRTICK"),
	CPUFREQ("scaling_governor", "schedutil"),
};

/* What the announcement measured last: as qos, and a task that wakes with an earlier deadline runs at once. */
static struct knob qos_preempt[KNOBS] = {
	DEBUGFS("base_slice_ns", "16000000"),
	TWO_FEATURES("HRTICK", "NO_RUN_TO_PARITY"),
	CPUFREQ("scaling_governor", "schedutil"),
};

const struct sched_profile profile_builtin[PROFILE_BUILTIN_COUNT] = {
	{ .name = "throughput", .knobs = throughput, .n_knobs = KNOBS },
	{ .name = "interactive", .knobs = interactive, .n_knobs = KNOBS },
	{ .name = "qos", .knobs = qos, .n_knobs = KNOBS },
	{ .name = "qos-preempt", .knobs = qos_preempt, .n_knobs = KNOBS },
};

const struct sched_profile *sched_profile_find(const struct sched_profile *profiles, size_t count,
					       const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	}
	return NULL;
}

static bool knob_equal(const struct knob *a, const struct knob *b)
{
	if (a->tree != b->tree || a->n_values != b->n_values || strcmp(a->file, b->file) != 0)
		return false;
	if (a->tree == KNOB_BLOCK && strcmp(a->devices, b->devices) != 0)
		return false;
	for (size_t i = 0; i < a->n_values; i++) {
		if (strcmp(a->values[i], b->values[i]) != 0)
			return false;
	}
	return true;
}

bool sched_profile_equal(const struct sched_profile *a, const struct sched_profile *b)
{
	if (!a || !b)
		return a == b;
	if (a->n_knobs != b->n_knobs || strcmp(a->name, b->name) != 0)
		return false;
	for (size_t i = 0; i < a->n_knobs; i++) {
		if (!knob_equal(&a->knobs[i], &b->knobs[i]))
			return false;
	}
	return true;
}

const char *knob_tree_name(enum knob_tree tree)
{
	switch (tree) {
	case KNOB_DEBUGFS:
		return "debugfs";
	case KNOB_CPUFREQ:
		return "cpufreq";
	case KNOB_SYSCTL:
		return "sysctl";
	case KNOB_BLOCK:
		return "block";
	}
	return NULL;
}
