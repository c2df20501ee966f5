/* SPDX-License-Identifier: GPL-2.0-only */
/* How an action becomes system calls, and how their results are read. */
#include "fake_kernel.h"

#include <errno.h>

KERNEL_TEST(an_action_is_one_set_and_one_get)
{
	const struct plan_action action = action_to((struct task_attr){
		.policy = POLICY_BATCH, .nice = 4, .slice_ns = 20 * MS, .util_max = 256 });
	struct task_attr now;

	kernel.others = (struct ksched_attr){
		.policy = POLICY_BATCH, .nice = 4, .runtime = 20 * MS, .util_max = 256
	};
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(kernel.n_sets, 1);
	assert_int_equal(kernel.n_gets, 1);
	assert_int_equal(kernel.tids[0], 7);
	assert_int_equal(kernel.sets[0].policy, POLICY_BATCH);
	assert_int_equal(kernel.sets[0].nice, 4);
	assert_int_equal(kernel.sets[0].runtime, 20 * MS);
	assert_true(task_attr_equal(&now, &action.want));
}

KERNEL_TEST(result_is_what_is_read_back)
{
	const struct plan_action action = action_to((struct task_attr){ .nice = 4 });
	struct task_attr now;

	kernel.others.nice = -7;
	kernel.n_overtaken = 1;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(now.nice, -7);
	assert_int_equal(kernel.n_sets, 1);
}

/* Until it is kept. */
KERNEL_TEST(what_an_owner_overtakes_is_set_again)
{
	struct plan_action action = action_to((struct task_attr){ .nice = 2, .util_max = UTIL_FULL });
	struct task_attr now;

	action.from.nice = -4;
	kernel.others.nice = -3;
	kernel.n_overtaken = 3;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(now.nice, 2);
	assert_int_equal(kernel.n_sets, 4);
	/* A call that lowers the task, or takes privilege. */
	for (int nice = -5; nice < 4; nice += 8) {
		kernel_on(NULL);
		kernel.others.nice = nice;
		kernel.n_overtaken = 1;
		assert_int_equal(applier_apply(&applier, &action, &now), 0);
		assert_int_equal(now.nice, nice);
		assert_int_equal(kernel.n_sets, 1);
	}
	/* But not for ever. */
	kernel_on(NULL);
	kernel.others.nice = -3;
	kernel.n_overtaken = 1000;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(now.nice, -3);
	assert_int_equal(kernel.n_sets, 1 + APPLY_AGAIN_MAX);
}

KERNEL_TEST(nice_and_slice_are_set_before_idle)
{
	const struct plan_action action = action_to((struct task_attr){
		.policy = POLICY_IDLE, .nice = 10, .slice_ns = 50 * MS, .util_max = UTIL_FULL });

	apply(&action);
	assert_int_equal(kernel.n_sets, 2);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_KEEP_POLICY);
	assert_int_equal(kernel.sets[0].nice, 10);
	assert_int_equal(kernel.sets[0].runtime, 50 * MS);
	assert_int_equal(kernel.sets[1].policy, POLICY_IDLE);
	assert_int_equal(kernel.tids[1], 7);
}

/* In between its owner could. */
KERNEL_TEST(idle_is_not_left_to_set_something_else)
{
	struct plan_action action = action_to((struct task_attr){
		.policy = POLICY_IDLE, .nice = 10, .util_max = UTIL_FULL });

	action.from.policy = POLICY_IDLE;
	kernel.others.policy = POLICY_IDLE;
	apply(&action);
	assert_int_equal(kernel.n_sets, 0);
	assert_int_equal(kernel.nice_from, 0);
	assert_int_equal(kernel.nice_to, 10);
	action.want.util_max = 256;
	apply(&action);
	assert_int_equal(kernel.n_sets, 1);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_KEEP_POLICY | KSCHED_FLAG_UTIL_CLAMP_MAX);
	assert_int_equal(kernel.nice_to, 10);
}

KERNEL_TEST(an_error_stops_the_action)
{
	const struct plan_action idle = action_to((struct task_attr){ .policy = POLICY_IDLE });
	struct task_attr now;

	kernel.set_results[0] = -EPERM;
	assert_int_equal(applier_apply(&applier, &idle, &now), -EPERM);
	assert_int_equal(kernel.n_sets, 1);
	assert_int_equal(kernel.n_gets, 0);
	kernel_on(NULL);
	kernel.set_results[1] = -ESRCH;
	assert_int_equal(applier_apply(&applier, &idle, &now), -ESRCH);
	kernel_on(NULL);
	kernel.get_result = -EPERM;
	assert_int_equal(applier_apply(&applier, &idle, &now), -EPERM);
}

KERNEL_TEST(a_task_gone_after_the_set_counts_as_set)
{
	const struct plan_action action =
		action_to((struct task_attr){ .policy = POLICY_BATCH, .nice = 4 });
	struct task_attr now;

	kernel.get_result = -ESRCH;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_true(task_attr_equal(&now, &action.want));
}

KERNEL_TEST(a_clamp_is_set_only_when_it_changes)
{
	struct plan_action action = action_to((struct task_attr){ .nice = 1, .util_max = 1024 });

	apply(&action);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_KEEP_POLICY);
	action.want.util_max = 256;
	apply(&action);
	assert_int_equal(kernel.sets[1].flags, KSCHED_FLAG_KEEP_POLICY | KSCHED_FLAG_UTIL_CLAMP_MAX);
	assert_int_equal(kernel.sets[1].util_max, 256);
	action.want.util_min = 10;
	action.from.util_max = 256;
	apply(&action);
	assert_int_equal(kernel.sets[2].flags, KSCHED_FLAG_KEEP_POLICY | KSCHED_FLAG_UTIL_CLAMP_MIN);
	assert_int_equal(kernel.sets[2].util_min, 10);
}

KERNEL_TEST(a_clamp_at_its_default_is_reset)
{
	struct plan_action action = action_to(task_attr_pristine);

	action.from.util_min = 10;
	action.from.util_max = 256;
	apply(&action);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_KEEP_POLICY | KSCHED_FLAG_UTIL_CLAMP_MIN |
						       KSCHED_FLAG_UTIL_CLAMP_MAX);
	assert_int_equal(kernel.sets[0].util_min, KSCHED_UTIL_RESET);
	assert_int_equal(kernel.sets[0].util_max, KSCHED_UTIL_RESET);
}

/* The kernel refuses to keep it: somebody has changed it since it was read, or something else is wrong. */
KERNEL_TEST(a_policy_changed_meanwhile_is_not_overwritten)
{
	const struct plan_action action = action_to((struct task_attr){ .nice = 4, .util_max = UTIL_FULL });
	struct task_attr now;

	kernel.set_results[0] = -EINVAL;
	kernel.others.policy = POLICY_RR;
	kernel.others.priority = 7;
	assert_int_equal(applier_apply(&applier, &action, &now), -EAGAIN);
	kernel_on(NULL);
	kernel.set_results[0] = -EINVAL;
	assert_int_equal(applier_apply(&applier, &action, &now), -EINVAL);
	assert_int_equal(kernel.n_sets, 1);
}

/* SCHED_IDLE takes two calls, and the first alone would raise the task. */
KERNEL_TEST(a_half_set_idle_is_rolled_back)
{
	const struct plan_action action = action_to((struct task_attr){
		.policy = POLICY_IDLE, .nice = 4, .util_max = UTIL_FULL });
	struct task_attr now;

	kernel.set_results[1] = -EPERM;
	assert_int_equal(applier_apply(&applier, &action, &now), -EPERM);
	assert_int_equal(kernel.n_sets, 3);
	assert_int_equal(kernel.sets[2].policy, POLICY_NORMAL);
	assert_int_equal(kernel.sets[2].nice, 0);
}

KERNEL_TEST(without_clamps_none_is_set)
{
	struct plan_action action = action_to((struct task_attr){ .util_min = 1, .util_max = 2 });

	applier.caps.util_clamp = false;
	apply(&action);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_KEEP_POLICY);
}

KERNEL_TEST(reset_on_fork_is_set_as_wanted)
{
	struct plan_action action = action_to((struct task_attr){
		.policy = POLICY_IDLE, .reset_on_fork = 1, .util_max = UTIL_FULL });

	apply(&action);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_KEEP_POLICY);
	assert_int_equal(kernel.sets[1].flags, KSCHED_FLAG_RESET_ON_FORK);
}

KERNEL_TEST(deadline_sets_runtime_and_period)
{
	const struct qos_attr budget = { .runtime = 5 * MS,
					 .deadline = 10 * MS,
					 .period = 16 * MS };
	struct plan_action action = action_to((struct task_attr){
		.policy = POLICY_DEADLINE, .reset_on_fork = 1, .util_max = UTIL_FULL });

	action.deadline = &budget;
	apply(&action);
	assert_int_equal(kernel.n_sets, 1);
	assert_int_equal(kernel.sets[0].policy, POLICY_DEADLINE);
	assert_int_equal(kernel.sets[0].runtime, 5 * MS);
	assert_int_equal(kernel.sets[0].deadline, 10 * MS);
	assert_int_equal(kernel.sets[0].period, 16 * MS);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_RESET_ON_FORK);
}

KERNEL_TEST(leaving_deadline_shrinks_its_bandwidth_first)
{
	const struct qos_attr budget = { .runtime = 5 * MS, .deadline = 10 * MS, .period = 16 * MS };
	struct plan_action action = action_to(task_attr_pristine);

	action.from.policy = POLICY_DEADLINE;
	apply(&action);
	assert_int_equal(kernel.n_sets, 2);
	assert_int_equal(kernel.sets[0].policy, POLICY_DEADLINE);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_RESET_ON_FORK);
	/* The kernel's formula for bandwidth. */
	assert_int_equal((kernel.sets[0].runtime << 20) / kernel.sets[0].period, 0);
	assert_int_equal(kernel.sets[1].policy, POLICY_NORMAL);

	/* If the kernel refuses that bandwidth, the task must still leave the policy. */
	kernel_on(NULL);
	kernel.set_results[0] = -EINVAL;
	apply(&action);
	assert_int_equal(kernel.sets[1].policy, POLICY_NORMAL);

	kernel_on(NULL);
	action.want.policy = POLICY_DEADLINE;
	action.want.util_max = 512;
	action.deadline = &budget;
	apply(&action);
	assert_int_equal(kernel.n_sets, 1);
}

KERNEL_TEST(real_time_sets_a_priority)
{
	const struct plan_action action =
		action_to((struct task_attr){ .policy = POLICY_RR, .rt_priority = 9 });
	struct task_attr now;

	kernel.others = (struct ksched_attr){
		.policy = POLICY_RR, .priority = 9, .nice = 5, .runtime = 100 * MS, .util_max = 1024
	};
	kernel.nice = 3;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(kernel.sets[0].priority, 9);
	/* Nice and slice have no meaning there, whatever the kernel returns; the former has a call of its own. */
	assert_int_equal(now.rt_priority, 9);
	assert_int_equal(now.nice, 3);
	assert_int_equal(now.slice_ns, 0);
}

KERNEL_TEST(a_nice_value_hidden_by_real_time_is_replaced)
{
	const struct plan_action action = {
		.tid = 7,
		.from = { .policy = POLICY_RR, .rt_priority = 9, .nice = -4, .util_max = 1024 },
		.want = { .policy = POLICY_RR, .rt_priority = 9, .nice = 3, .util_max = 1024 },
	};

	kernel.others = (struct ksched_attr){ .policy = POLICY_RR, .priority = 9, .util_max = 1024 };
	apply(&action);
	assert_int_equal(kernel.n_sets, 0);
	assert_int_equal(kernel.nice_from, -4);
	assert_int_equal(kernel.nice_to, 3);
}

KERNEL_TEST(a_nice_value_that_real_time_refuses_rolls_back_the_rest)
{
	const struct plan_action action = {
		.tid = 7,
		.from = { .nice = -4, .util_max = 1024 },
		.want = { .policy = POLICY_RR, .rt_priority = 9, .util_max = 1024 },
	};
	struct task_attr now;

	kernel.nice_result = -ESRCH;
	assert_int_equal(applier_apply(&applier, &action, &now), -ESRCH);
	assert_int_equal(kernel.n_sets, 2);
	assert_int_equal(kernel.sets[0].policy, POLICY_RR);
	assert_int_equal(kernel.sets[1].policy, POLICY_NORMAL);
	assert_int_equal(kernel.sets[1].nice, -4);
}

/* ---- reading attributes ---- */

KERNEL_TEST(look_returns_all_attributes)
{
	struct task_attr now;

	kernel.others = (struct ksched_attr){
		.policy = POLICY_IDLE,
		.flags = KSCHED_FLAG_RESET_ON_FORK,
		.nice = -20,
		.priority = 3,
		.runtime = 7 * MS,
		.util_min = 1,
		.util_max = 2,
	};
	assert_int_equal(applier_look(&applier, 7, &now), 0);
	assert_int_equal(now.policy, POLICY_IDLE);
	assert_int_equal(now.nice, -20);
	assert_int_equal(now.rt_priority, 0);
	assert_int_equal(now.reset_on_fork, 1);
	assert_int_equal(now.slice_ns, 7 * MS);
	assert_int_equal(now.util_min, 1);
	assert_int_equal(now.util_max, 2);
}

KERNEL_TEST(leaving_real_time_resets_a_conflicting_util_min)
{
	const struct plan_action action = {
		.tid = 7,
		.from = { .policy = POLICY_RR, .rt_priority = 1, .util_max = UTIL_FULL },
		.want = { .policy = POLICY_BATCH, .nice = 2, .slice_ns = 16 * MS, .util_max = 512 },
	};

	apply(&action);
	assert_int_equal(kernel.sets[0].flags, KSCHED_FLAG_UTIL_CLAMP_MIN | KSCHED_FLAG_UTIL_CLAMP_MAX);
	assert_int_equal(kernel.sets[0].util_min, KSCHED_UTIL_RESET);
	assert_int_equal(kernel.sets[0].util_max, 512);
}

KERNEL_TEST(default_util_min_of_real_time_is_no_clamp)
{
	struct task_attr now;

	kernel.others = (struct ksched_attr){
		.policy = POLICY_RR, .priority = 1, .util_min = 1024, .util_max = 1024
	};
	assert_int_equal(applier_look(&applier, 7, &now), 0);
	assert_int_equal(now.util_min, 0);
	assert_int_equal(now.util_max, 1024);
	kernel.others.policy = POLICY_NORMAL;
	assert_int_equal(applier_look(&applier, 7, &now), 0);
	assert_int_equal(now.util_min, 1024);
}

KERNEL_TEST(features_the_kernel_lacks_read_as_unset)
{
	struct task_attr now;

	applier.caps = (struct attr_caps){ 0 };
	kernel.others = (struct ksched_attr){ .runtime = 7 * MS, .util_min = 1, .util_max = 0 };
	assert_int_equal(applier_look(&applier, 7, &now), 0);
	assert_true(task_attr_is_pristine(&now));
}

KERNEL_TEST(a_slice_beyond_32_bits_is_capped)
{
	struct task_attr now;

	kernel.others.runtime = 1ULL << 32 | 5;
	assert_int_equal(applier_look(&applier, 7, &now), 0);
	assert_int_equal(now.slice_ns, UINT32_MAX);
}

KERNEL_TEST(look_at_a_missing_task_fails)
{
	struct task_attr now;

	kernel.get_result = -ESRCH;
	assert_int_equal(applier_look(&applier, 7, &now), -ESRCH);
	assert_int_equal(applier_refresh_base(&applier), -ESRCH);
	assert_int_equal(applier.caps.base_slice_ns, 3 * MS);
}

/* ---- the base slice ---- */

KERNEL_TEST(a_cleared_slice_refreshes_the_base_slice)
{
	const struct plan_action action = action_to(task_attr_pristine);

	kernel.own.runtime = kernel.others.runtime = 4 * MS;
	apply(&action);
	assert_int_equal(applier.caps.base_slice_ns, 4 * MS);
	assert_int_equal(kernel.n_own_gets, 1);
	apply(&action);
	assert_int_equal(kernel.n_own_gets, 1);
}

KERNEL_TEST(a_custom_slice_does_not_refresh_it)
{
	const struct plan_action action = action_to((struct task_attr){ .slice_ns = 8 * MS });

	kernel.others.runtime = 8 * MS;
	apply(&action);
	assert_int_equal(kernel.n_own_gets, 0);
}

/* ---- the daemon itself ---- */

KERNEL_TEST(init_sets_nice_minus_20_without_a_custom_slice)
{
	kernel.own.runtime = 4 * MS;
	assert_int_equal(applier_init(&applier), 0);
	assert_int_equal(kernel.n_sets, 1);
	assert_int_equal(kernel.tids[0], 0);
	assert_int_equal(kernel.sets[0].policy, POLICY_NORMAL);
	assert_int_equal(kernel.sets[0].nice, -20);
	assert_int_equal(kernel.sets[0].runtime, 0);
	assert_int_equal(kernel.sets[0].flags,
			 KSCHED_FLAG_UTIL_CLAMP_MIN | KSCHED_FLAG_UTIL_CLAMP_MAX);
	assert_int_equal(kernel.sets[0].util_max, KSCHED_UTIL_RESET);
	assert_int_equal(applier.caps.base_slice_ns, 4 * MS);
}

KERNEL_TEST(init_sets_nice_0_if_not_privileged)
{
	applier.caps.util_clamp = false;
	kernel.set_results[0] = -EPERM;
	assert_int_equal(applier_init(&applier), 0);
	assert_int_equal(kernel.n_sets, 2);
	assert_int_equal(kernel.sets[1].nice, 0);
	assert_int_equal(kernel.sets[1].flags, 0);
}

KERNEL_TEST(without_slices_there_is_no_base_slice)
{
	applier.caps.slice = false;
	applier.caps.base_slice_ns = 0;
	assert_int_equal(applier_init(&applier), 0);
	assert_int_equal(applier.caps.base_slice_ns, 0);
}
