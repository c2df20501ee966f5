/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies when attributes are equal, and how they are shown. */

#include "test.h"

#include <schedqos/policy/task_attr.h>

static const char *text(struct task_attr attr)
{
	static char buf[TASK_ATTR_TEXT_MAX];

	return task_attr_text(&attr, buf);
}

TEST(attributes_are_equal_if_everything_that_a_task_shows_is_equal)
{
	const struct task_attr base = { .policy = POLICY_BATCH, .nice = -3, .slice_ns = 1 };
	struct task_attr other[7];

	for (int i = 0; i < 7; i++)
		other[i] = base;
	other[0].policy = POLICY_NORMAL;
	other[1].nice = 3;
	other[2].rt_priority = 1;
	other[3].slice_ns = 0;
	other[4].util_min = 1;
	other[5].util_max = 1;
	other[6].io_priority = IO_PRIORITY(IO_CLASS_IDLE, 0);
	for (int i = 0; i < 7; i++)
		assert_false(task_attr_equal(&base, &other[i]));
	other[0] = base;
	other[0].reset_on_fork = 1;
	assert_true(task_attr_equal(&base, &other[0]));
}

TEST(attributes_are_shown_in_words)
{
	assert_string_equal(text(task_attr_pristine), "SCHED_NORMAL nice 0");
	assert_string_equal(text((struct task_attr){ .policy = POLICY_BATCH,
						     .nice = 4,
						     .slice_ns = 20000000,
						     .util_max = 256 }),
			    "SCHED_BATCH nice 4 slice 20 ms util 0..256");
	assert_string_equal(text((struct task_attr){ .policy = POLICY_FIFO,
						     .rt_priority = 99,
						     .util_min = 1,
						     .util_max = UTIL_FULL }),
			    "SCHED_FIFO priority 99 util 1..1024");
	assert_string_equal(text((struct task_attr){ .slice_ns = 100000, .util_max = UTIL_FULL }),
			    "SCHED_NORMAL nice 0 slice 0.1 ms");
	assert_string_equal(text((struct task_attr){ .util_max = UTIL_FULL,
						     .io_priority = IO_PRIORITY(IO_CLASS_IDLE, 7) }),
			    "SCHED_NORMAL nice 0 io idle");
	assert_string_equal(text((struct task_attr){ .util_max = 512,
						     .io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 2) }),
			    "SCHED_NORMAL nice 0 util 0..512 io realtime 2");
}

/* If none is set, the kernel derives one as task_nice_ioclass and task_nice_ioprio do. */
TEST(io_priorities_are_ordered_by_class_and_level)
{
	static const struct task_attr falling[] = {
		{ .io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 0) },
		{ .policy = POLICY_FIFO },
		{ .io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 7) },
		{ .io_priority = IO_PRIORITY(IO_CLASS_BEST_EFFORT, 0), .policy = POLICY_IDLE },
		{ .nice = -11 },
		{ .io_priority = IO_PRIORITY(IO_CLASS_BEST_EFFORT, 3), .nice = 19 },
		{ .nice = 4 },
		{ .nice = 19 },
		{ .policy = POLICY_IDLE, .nice = -20 },
	};

	for (size_t i = 1; i < sizeof(falling) / sizeof(falling[0]); i++)
		assert_true(task_io_order(&falling[i - 1]) < task_io_order(&falling[i]));
	assert_int_equal(task_io_order(&task_attr_pristine), IO_LEVELS + IO_LEVEL_DEFAULT);
}

TEST(only_a_real_time_io_priority_takes_privilege)
{
	const uint8_t idle = IO_PRIORITY(IO_CLASS_IDLE, 0), best = IO_PRIORITY(IO_CLASS_BEST_EFFORT, 0);
	const uint8_t high = IO_PRIORITY(IO_CLASS_REALTIME, 3), low = IO_PRIORITY(IO_CLASS_REALTIME, 4);

	assert_false(io_priority_is_privileged(idle, best));
	assert_false(io_priority_is_privileged(idle, 0));
	assert_false(io_priority_is_privileged(high, best));
	assert_false(io_priority_is_privileged(high, low));
	assert_false(io_priority_is_privileged(low, low));
	assert_true(io_priority_is_privileged(low, high));
	assert_true(io_priority_is_privileged(best, low));
	assert_true(io_priority_is_privileged(0, low));
}

TEST(the_longest_text_fits_into_the_buffer)
{
	const struct task_attr attr = {
		.policy = POLICY_BATCH,
		.nice = -128,
		.rt_priority = 255,
		.slice_ns = UINT32_MAX,
		.util_min = UINT16_MAX,
		.util_max = UINT16_MAX,
		.io_priority = IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7),
	};

	assert_string_equal(
		text(attr),
		"SCHED_BATCH nice -128 priority 255 slice 4294.97 ms util 65535..65535 io best-effort 7");
}
