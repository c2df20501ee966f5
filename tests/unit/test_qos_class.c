/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies how a period scales a slice, and which attributes a class sets on a task. test_config.c has the merging of
 * classes.
 */

#include "test.h"

#include <schedqos/policy/qos_class.h>

#define MS 1000000ULL

static uint64_t scaled(uint64_t runtime, uint64_t period)
{
	const struct qos_attr attr = { .has = QOS_HAS_RUNTIME, .runtime = runtime };

	return qos_attr_scale(&attr, period).runtime;
}

TEST(a_slice_is_scaled_by_period_over_16_ms)
{
	assert_int_equal(scaled(16 * MS, 0), 16 * MS);
	assert_int_equal(scaled(16 * MS, 16 * MS), 16 * MS);
	assert_int_equal(scaled(8 * MS, 8 * MS), 4 * MS);
	assert_int_equal(scaled(8 * MS, 33333333), 16666667); /* .5 is rounded up */
	assert_int_equal(scaled(8 * MS, 33333332), 16666666);
	assert_int_equal(scaled(200001, 8 * MS), 100001);
	assert_int_equal(scaled(200001, 7999999), 100000);
}

TEST(a_scaled_slice_stays_within_the_kernel_s_range)
{
	assert_int_equal(scaled(8 * MS, 1000), SLICE_MIN_NS);
	assert_int_equal(scaled(8 * MS, 10000 * MS), SLICE_MAX_NS);
	assert_int_equal(scaled(100 * MS, UINT64_MAX), SLICE_MAX_NS);
	assert_int_equal(scaled(UINT64_MAX, UINT64_MAX), SLICE_MAX_NS);
	assert_int_equal(scaled(UINT64_MAX, 1), SLICE_MAX_NS);
	assert_int_equal(scaled(0, 8 * MS), 0); /* no slice remains no slice */
}

TEST(only_fair_slices_are_scaled)
{
	struct qos_attr attr = {
		.has = QOS_HAS_POLICY | QOS_HAS_RUNTIME,
		.policy = POLICY_DEADLINE,
		.runtime = 1 * MS,
	};

	assert_int_equal(qos_attr_scale(&attr, 8 * MS).runtime, 1 * MS);
	attr.has = QOS_HAS_RUNTIME; /* the task may have any fair policy */
	assert_int_equal(qos_attr_scale(&attr, 8 * MS).runtime, MS / 2);
	attr = (struct qos_attr){ .has = QOS_HAS_POLICY, .runtime = 1 * MS };
	assert_int_equal(qos_attr_scale(&attr, 8 * MS).runtime, 1 * MS);
}

#define UTILITY                                                                                                       \
	.has = QOS_HAS_POLICY | QOS_HAS_NICE | QOS_HAS_RUNTIME | QOS_HAS_UTIL_MAX, .policy = POLICY_BATCH, .nice = 2, \
	.runtime = 16 * MS, .util_max = 512
#define FREE .util_max = UTIL_FULL
#define IDLE_IO .io_priority = IO_PRIORITY(IO_CLASS_IDLE, 7), FREE

static const struct {
	const char *name;
	enum { ALL, NO_IO, NONE } caps;
	struct qos_attr attr;
	struct task_attr had, want;
} overs[] = {
	{ "a pristine task",
	  ALL,
	  { UTILITY },
	  { FREE },
	  { .policy = POLICY_BATCH, .nice = 2, .slice_ns = 16000000, .util_max = 512 } },
	{ "what the kernel lacks is left",
	  NONE,
	  { UTILITY },
	  { .nice = -1, FREE },
	  { .policy = POLICY_BATCH, .nice = 2, FREE } },
	{ "what is not named is left",
	  ALL,
	  { .has = QOS_HAS_UTIL_MIN, .util_min = 100 },
	  { .policy = POLICY_IDLE, .nice = 7, .reset_on_fork = 1, .slice_ns = 3000000, .util_max = 300 },
	  { .policy = POLICY_IDLE,
	    .nice = 7,
	    .reset_on_fork = 1,
	    .slice_ns = 3000000,
	    .util_min = 100,
	    .util_max = 300 } },
	/* The kernel refuses a minimum above the maximum, even if a call sets only one of the two. */
	{ "the minimum makes way",
	  ALL,
	  { .has = QOS_HAS_UTIL_MAX, .util_max = 256 },
	  { .util_min = 400, .util_max = 600 },
	  { .util_min = 256, .util_max = 256 } },
	{ "the maximum makes way",
	  ALL,
	  { .has = QOS_HAS_UTIL_MIN, .util_min = 700 },
	  { .util_min = 400, .util_max = 600 },
	  { .util_min = 700, .util_max = 700 } },
	{ "real time",
	  ALL,
	  { .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_RR, .priority = 9 },
	  { .nice = 5, .slice_ns = 3000000, FREE },
	  { .policy = POLICY_RR, .nice = 5, .rt_priority = 9, FREE } },
	{ "a deadline cannot fork",
	  ALL,
	  { .has = QOS_HAS_POLICY | QOS_HAS_RUNTIME | QOS_HAS_DEADLINE,
	    .policy = POLICY_DEADLINE,
	    .runtime = 1 * MS,
	    .deadline = 5 * MS },
	  { FREE },
	  { .policy = POLICY_DEADLINE, .reset_on_fork = 1, FREE } },
	{ "an I/O class without a level",
	  ALL,
	  { .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_BEST_EFFORT },
	  { IDLE_IO },
	  { .io_priority = IO_PRIORITY(IO_CLASS_BEST_EFFORT, IO_LEVEL_DEFAULT), FREE } },
	{ "I/O that nobody asked for",
	  NO_IO,
	  { .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_BEST_EFFORT },
	  { IDLE_IO },
	  { IDLE_IO } },
	{ "an I/O class of none", ALL, { .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_NONE }, { IDLE_IO }, { FREE } },
	{ "no I/O class", ALL, { .has = QOS_HAS_NICE, .nice = 1 }, { IDLE_IO }, { .nice = 1, IDLE_IO } },
	{ "too long a slice",
	  ALL,
	  { .has = QOS_HAS_RUNTIME, .runtime = UINT64_MAX },
	  { FREE },
	  { .slice_ns = SLICE_MAX_NS, FREE } },
	{ "too short a slice",
	  ALL,
	  { .has = QOS_HAS_RUNTIME, .runtime = 1 },
	  { FREE },
	  { .slice_ns = SLICE_MIN_NS, FREE } },
	{ "no slice", ALL, { .has = QOS_HAS_RUNTIME, .runtime = 0 }, { .slice_ns = 3000000, FREE }, { FREE } },
};

TEST(a_class_sets_its_attributes_over_those_of_the_task)
{
	static const struct attr_caps caps[] = {
		[ALL] = { .slice = true, .util_clamp = true, .io_priority = true },
		[NO_IO] = { .slice = true, .util_clamp = true },
		[NONE] = { 0 },
	};

	for (size_t i = 0; i < sizeof(overs) / sizeof(overs[0]); i++) {
		const struct task_attr task = qos_attr_over(&overs[i].attr, &overs[i].had, &caps[overs[i].caps]);
		char text[TASK_ATTR_TEXT_MAX];

		if (memcmp(&task, &overs[i].want, sizeof(task)) != 0)
			fail_msg("%s: %s", overs[i].name, task_attr_text(&task, text));
	}
}
