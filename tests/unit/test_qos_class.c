/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes: scaling by period, and what a task is to carry. What overrides what: test_config.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/qos_class.h>

#define MS 1000000ULL

static const struct attr_caps all_caps = { .slice = true, .util_clamp = true, .io_priority = true };

static const struct qos_attr utility = {
	.has = QOS_HAS_POLICY | QOS_HAS_NICE | QOS_HAS_RUNTIME | QOS_HAS_UTIL_MAX,
	.policy = POLICY_BATCH,
	.nice = 2,
	.runtime = 16 * MS,
	.util_max = 512,
};

static void builtin_profiles_are_the_announcements(void **state)
{
	static const struct {
		const char *name, *slice, *features, *more;
	} want[PROFILE_BUILTIN_COUNT] = {
		{ "throughput", "8000000", "NO_HRTICK", NULL },
		{ "interactive", "4000000", "HRTICK", NULL },
		{ "qos", "16000000", "HRTICK", NULL },
		{ "qos-preempt", "16000000", "HRTICK", "NO_RUN_TO_PARITY" },
	};

	(void)state;
	for (size_t i = 0; i < PROFILE_BUILTIN_COUNT; i++) {
		const struct sched_profile *profile = &profile_builtin[i];

		assert_string_equal(profile->name, want[i].name);
		assert_int_equal(profile->n_knobs, 3);
		assert_int_equal(profile->knobs[0].tree, KNOB_DEBUGFS);
		assert_string_equal(profile->knobs[0].file, "base_slice_ns");
		assert_string_equal(profile->knobs[0].values[0], want[i].slice);
		assert_string_equal(profile->knobs[1].file, "features");
		assert_string_equal(profile->knobs[1].values[0], want[i].features);
		assert_int_equal(profile->knobs[2].tree, KNOB_CPUFREQ);
		assert_string_equal(profile->knobs[2].file, "scaling_governor");
		assert_string_equal(profile->knobs[2].values[0], "schedutil");
		assert_int_equal(profile->knobs[0].n_values, 1);
		assert_int_equal(profile->knobs[1].n_values, want[i].more ? 2 : 1);
		if (want[i].more)
			assert_string_equal(profile->knobs[1].values[1], want[i].more);
		assert_int_equal(profile->knobs[2].n_values, 1);
	}
}

static uint64_t scaled(uint64_t runtime, uint64_t period)
{
	struct qos_attr attr = utility;

	attr.runtime = runtime;
	return qos_attr_scale(&attr, period).runtime;
}

static void scale_is_by_period_over_16_ms(void **state)
{
	(void)state;
	assert_int_equal(scaled(16 * MS, 0), 16 * MS);
	assert_int_equal(scaled(16 * MS, 16 * MS), 16 * MS);
	assert_int_equal(scaled(8 * MS, 8 * MS), 4 * MS);
	assert_int_equal(scaled(8 * MS, 33333333), 16666667); /* .5 rounds up */
	assert_int_equal(scaled(8 * MS, 33333332), 16666666);
	assert_int_equal(scaled(200001, 8 * MS), 100001);
	assert_int_equal(scaled(200001, 7999999), 100000);
}

static void scale_keeps_to_what_the_kernel_takes(void **state)
{
	(void)state;
	assert_int_equal(scaled(8 * MS, 1000), SLICE_MIN_NS);
	assert_int_equal(scaled(8 * MS, 10000 * MS), SLICE_MAX_NS);
	assert_int_equal(scaled(100 * MS, UINT64_MAX), SLICE_MAX_NS);
	assert_int_equal(scaled(UINT64_MAX, UINT64_MAX), SLICE_MAX_NS);
	assert_int_equal(scaled(UINT64_MAX, 1), SLICE_MAX_NS);
	assert_int_equal(scaled(0, 8 * MS), 0); /* no slice stays none */
}

static void scale_is_for_fair_slices_only(void **state)
{
	struct qos_attr attr = {
		.has = QOS_HAS_POLICY | QOS_HAS_RUNTIME,
		.policy = POLICY_DEADLINE,
		.runtime = 1 * MS,
	};

	(void)state;
	assert_int_equal(qos_attr_scale(&attr, 8 * MS).runtime, 1 * MS);
	attr.has = QOS_HAS_RUNTIME; /* whatever fair policy the task has */
	assert_int_equal(qos_attr_scale(&attr, 8 * MS).runtime, MS / 2);
	attr = (struct qos_attr){ .has = QOS_HAS_POLICY, .runtime = 1 * MS };
	assert_int_equal(qos_attr_scale(&attr, 8 * MS).runtime, 1 * MS);
}

static void over_a_pristine_task(void **state)
{
	struct task_attr want = {
		.policy = POLICY_BATCH, .nice = 2, .slice_ns = 16000000, .util_max = 512
	};
	struct task_attr task = qos_attr_over(&utility, &task_attr_pristine, &all_caps);

	(void)state;
	assert_memory_equal(&task, &want, sizeof(task));
}

static void over_leaves_what_the_kernel_lacks(void **state)
{
	struct attr_caps none = { 0 };
	struct task_attr had = { .policy = POLICY_NORMAL, .nice = -1, .util_max = UTIL_FULL };
	struct task_attr task = qos_attr_over(&utility, &had, &none);

	(void)state;
	assert_int_equal(task.policy, POLICY_BATCH);
	assert_int_equal(task.nice, 2);
	assert_int_equal(task.slice_ns, 0);
	assert_int_equal(task.util_max, UTIL_FULL);
}

static void over_leaves_what_is_not_named(void **state)
{
	struct qos_attr attr = { .has = QOS_HAS_UTIL_MIN, .util_min = 100 };
	struct task_attr had = {
		.policy = POLICY_IDLE,
		.nice = 7,
		.reset_on_fork = 1,
		.slice_ns = 3000000,
		.util_max = 300,
	};
	struct task_attr task = qos_attr_over(&attr, &had, &all_caps);

	(void)state;
	had.util_min = 100;
	assert_memory_equal(&task, &had, sizeof(task));
}

/* The kernel refuses a minimum above the maximum, also when only one of the two is new. */
static void over_moves_the_other_clamp_out_of_the_way(void **state)
{
	struct qos_attr low = { .has = QOS_HAS_UTIL_MAX, .util_max = 256 };
	struct qos_attr high = { .has = QOS_HAS_UTIL_MIN, .util_min = 700 };
	struct task_attr had = { .util_min = 400, .util_max = 600 };

	(void)state;
	assert_int_equal(qos_attr_over(&low, &had, &all_caps).util_min, 256);
	assert_int_equal(qos_attr_over(&low, &had, &all_caps).util_max, 256);
	assert_int_equal(qos_attr_over(&high, &had, &all_caps).util_min, 700);
	assert_int_equal(qos_attr_over(&high, &had, &all_caps).util_max, 700);
}

static void over_to_real_time(void **state)
{
	struct qos_attr attr = {
		.has = QOS_HAS_POLICY | QOS_HAS_PRIORITY,
		.policy = POLICY_RR,
		.priority = 9,
	};
	struct task_attr had = { .nice = 5, .slice_ns = 3000000, .util_max = UTIL_FULL };
	struct task_attr want = { .policy = POLICY_RR, .nice = 5, .rt_priority = 9, .util_max = UTIL_FULL };
	struct task_attr task = qos_attr_over(&attr, &had, &all_caps);

	(void)state;
	assert_memory_equal(&task, &want, sizeof(task));
}

static void over_to_deadline_cannot_fork(void **state)
{
	struct qos_attr attr = {
		.has = QOS_HAS_POLICY | QOS_HAS_RUNTIME | QOS_HAS_DEADLINE,
		.policy = POLICY_DEADLINE,
		.runtime = 1 * MS,
		.deadline = 5 * MS,
	};
	struct task_attr task = qos_attr_over(&attr, &task_attr_pristine, &all_caps);

	(void)state;
	assert_int_equal(task.policy, POLICY_DEADLINE);
	assert_int_equal(task.reset_on_fork, 1);
	assert_int_equal(task.slice_ns, 0);
}

#define HAS_IO (QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL)

static void over_sets_an_io_priority(void **state)
{
	const struct attr_caps unused = { .slice = true, .util_clamp = true };
	struct qos_attr attr = { .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_BEST_EFFORT };
	struct task_attr had = { .io_priority = IO_PRIORITY(IO_CLASS_IDLE, 7), .util_max = UTIL_FULL };

	(void)state;
	assert_int_equal(qos_attr_over(&attr, &had, &all_caps).io_priority,
			 IO_PRIORITY(IO_CLASS_BEST_EFFORT, IO_LEVEL_DEFAULT));
	assert_int_equal(qos_attr_over(&attr, &had, &unused).io_priority, had.io_priority);
	assert_int_equal(qos_attr_over(&utility, &had, &all_caps).io_priority, had.io_priority);
	attr.io_class = IO_CLASS_NONE;
	assert_int_equal(qos_attr_over(&attr, &had, &all_caps).io_priority, 0);
}

static void classes_with_another_io_priority_are_not_equal(void **state)
{
	const struct qos_attr one = { .has = HAS_IO, .io_class = IO_CLASS_BEST_EFFORT, .io_level = 1 };
	struct qos_attr other = one;

	(void)state;
	assert_true(qos_attr_equal(&one, &other));
	other.io_level = 2;
	assert_false(qos_attr_equal(&one, &other));
	other = one;
	other.io_class = IO_CLASS_REALTIME;
	assert_false(qos_attr_equal(&one, &other));
	other = one;
	other.has = QOS_HAS_IO_CLASS;
	assert_false(qos_attr_equal(&one, &other));
}

static void over_keeps_a_slice_in_range(void **state)
{
	struct qos_attr attr = { .has = QOS_HAS_RUNTIME, .runtime = UINT64_MAX };

	(void)state;
	assert_int_equal(qos_attr_over(&attr, &task_attr_pristine, &all_caps).slice_ns,
			 SLICE_MAX_NS);
	attr.runtime = 1;
	assert_int_equal(qos_attr_over(&attr, &task_attr_pristine, &all_caps).slice_ns,
			 SLICE_MIN_NS);
	attr.runtime = 0;
	assert_int_equal(qos_attr_over(&attr, &task_attr_pristine, &all_caps).slice_ns, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(builtin_profiles_are_the_announcements),
		cmocka_unit_test(scale_is_by_period_over_16_ms),
		cmocka_unit_test(scale_keeps_to_what_the_kernel_takes),
		cmocka_unit_test(scale_is_for_fair_slices_only),
		cmocka_unit_test(over_a_pristine_task),
		cmocka_unit_test(over_leaves_what_the_kernel_lacks),
		cmocka_unit_test(over_leaves_what_is_not_named),
		cmocka_unit_test(over_moves_the_other_clamp_out_of_the_way),
		cmocka_unit_test(over_to_real_time),
		cmocka_unit_test(over_to_deadline_cannot_fork),
		cmocka_unit_test(over_sets_an_io_priority),
		cmocka_unit_test(classes_with_another_io_priority_are_not_equal),
		cmocka_unit_test(over_keeps_a_slice_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
