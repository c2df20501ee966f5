/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/profile.h>

#define VALUE(text) ((const char *const[]){ text })

#define DEBUGFS(name, text)                                                                \
	{                                                                                  \
		.tree = KNOB_DEBUGFS, .file = (name), .values = VALUE(text), .n_values = 1 \
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

const struct sched_profile profile_builtin[PROFILE_BUILTIN_COUNT] = {
	{ .name = "throughput", .knobs = throughput, .n_knobs = KNOBS },
	{ .name = "interactive", .knobs = interactive, .n_knobs = KNOBS },
	{ .name = "qos", .knobs = qos, .n_knobs = KNOBS },
};
