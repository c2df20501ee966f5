/* SPDX-License-Identifier: GPL-2.0-only */
/* Defines the built-in sched profiles, finds profiles by name and compares them, for the machine. */
#include <schedqos/policy/config.h>

#include <string.h>

#include <schedqos/util/cleanup.h>

#define KNOB(knob_tree, name, ...)                                                               \
	{                                                                                        \
		.tree = (knob_tree), .file = (name), .values = (const char *const[]){ __VA_ARGS__ }, \
		.n_values = array_size(((const char *const[]){ __VA_ARGS__ }))                   \
	}

/* All built-in profiles have the same knobs. The arguments after the slice (ns) are scheduler features. */
#define KNOBS(slice, ...)                                                 \
	{                                                                 \
		KNOB(KNOB_DEBUGFS, "base_slice_ns", slice),               \
		KNOB(KNOB_DEBUGFS, "features", __VA_ARGS__),              \
		KNOB(KNOB_CPUFREQ, "scaling_governor", "schedutil"),      \
	}

static struct knob throughput[] = KNOBS("8000000", "NO_HRTICK");
static struct knob interactive[] = KNOBS("4000000", "HRTICK");
static struct knob qos[] = KNOBS("16000000", "HRTICK");
/* As in the announcement's last measurement: like qos, but a task that wakes with an earlier deadline runs at once. */
static struct knob qos_preempt[] = KNOBS("16000000", "HRTICK", "NO_RUN_TO_PARITY");

const struct sched_profile profile_builtin[PROFILE_BUILTIN_COUNT] = {
	{ .name = "throughput", .knobs = throughput, .n_knobs = array_size(qos) },
	{ .name = "interactive", .knobs = interactive, .n_knobs = array_size(qos) },
	{ .name = "qos", .knobs = qos, .n_knobs = array_size(qos) },
	{ .name = "qos-preempt", .knobs = qos_preempt, .n_knobs = array_size(qos) },
};

const struct sched_profile *sched_profile_find(const struct sched_profile *profiles, size_t count, const char *name)
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
	static const char *const names[KNOB_TREES] = {
		[KNOB_DEBUGFS] = "debugfs",
		[KNOB_CPUFREQ] = "cpufreq",
		[KNOB_SYSCTL] = "sysctl",
		[KNOB_BLOCK] = "block",
	};

	return names[tree];
}
