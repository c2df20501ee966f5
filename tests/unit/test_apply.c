/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which system calls an action takes, and how their results are read. */
#include "fake_kernel.h"

#include <errno.h>

/* ---- the calls of an action ---- */

#define ATTR(...)                                  \
	{                                          \
		.util_max = UTIL_FULL, __VA_ARGS__ \
	}

static const struct qos_attr budget = { .runtime = 5 * MS, .deadline = 10 * MS, .period = 16 * MS };

/* refused: the number of the call that is refused, counted from 1; 0 for none. r: the result of the action. */
static const struct {
	struct task_attr from, want;
	const char *calls;
	const struct qos_attr *deadline;
	unsigned refused;
	int r;
} actions[] = {
	{ .from = ATTR(),
	  .want = ATTR(.policy = POLICY_BATCH, .nice = 4, .slice_ns = 20 * MS),
	  .calls = "BATCH nice 4 runtime 20000000" },
	{ .from = ATTR(),
	  .want = ATTR(.nice = 4),
	  .calls = "keep nice 4",
	  .refused = 1,
	  .r = -EPERM },
	/* Nice value and slice come first, because they cannot be set under SCHED_IDLE. */
	{ .from = ATTR(),
	  .want = ATTR(.policy = POLICY_IDLE, .nice = 10, .slice_ns = 50 * MS),
	  .calls = "keep nice 10 runtime 50000000, IDLE nice 10 runtime 50000000" },
	{ .from = ATTR(),
	  .want = ATTR(.policy = POLICY_IDLE, .nice = 4),
	  .calls = "keep nice 4",
	  .refused = 1,
	  .r = -EPERM },
	/* The first of the two calls is not taken back. Both are tried again, as after a change by the owner. */
	{ .from = ATTR(),
	  .want = ATTR(.policy = POLICY_IDLE, .nice = 4),
	  .calls = "keep nice 4, IDLE nice 4, keep nice 4, IDLE nice 4",
	  .refused = 2 },
	{ .from = ATTR(),
	  .want = ATTR(.policy = POLICY_IDLE, .reset_on_fork = 1),
	  .calls = "keep nice 0, IDLE nice 0 reset-on-fork" },
	/* The policy is not left in between, because then the owner could set another one. */
	{ .from = ATTR(.policy = POLICY_IDLE),
	  .want = ATTR(.policy = POLICY_IDLE, .nice = 10),
	  .calls = "nice from 0 to 10" },
	{ .from = ATTR(.policy = POLICY_IDLE),
	  .want = { .policy = POLICY_IDLE, .nice = 10, .util_max = 256 },
	  .calls = "keep nice 10 min reset max 256, nice from 0 to 10" },
	/*
	 * Clamps are set only if one changes, and then both, because the owner may have changed the other meanwhile.
	 * A default is reset.
	 */
	{ .from = ATTR(), .want = { .nice = 1, .util_max = 256 }, .calls = "keep nice 1 min reset max 256" },
	{ .from = { .util_max = 256 },
	  .want = { .nice = 1, .util_min = 10, .util_max = 256 },
	  .calls = "keep nice 1 min 10 max 256" },
	{ .from = { .util_min = 10, .util_max = 256 },
	  .want = ATTR(),
	  .calls = "keep nice 0 min reset max reset" },
	{ .from = ATTR(),
	  .want = ATTR(.policy = POLICY_DEADLINE, .reset_on_fork = 1),
	  .calls = "DEADLINE nice 0 runtime 5000000 of 10000000 in 16000000 reset-on-fork",
	  .deadline = &budget },
	{ .from = ATTR(.policy = POLICY_DEADLINE),
	  .want = { .policy = POLICY_DEADLINE, .util_max = 512 },
	  .calls = "DEADLINE nice 0 runtime 5000000 of 10000000 in 16000000 min reset max 512",
	  .deadline = &budget },
	/*
	 * A task that leaves SCHED_DEADLINE gives up its bandwidth first. If that is refused, it leaves all the same.
	 */
	{ .from = ATTR(.policy = POLICY_DEADLINE),
	  .want = ATTR(),
	  .calls = "DEADLINE nice 0 runtime 1024 of 4194304000 in 4194304000 reset-on-fork, NORMAL "
		   "nice 0" },
	{ .from = ATTR(.policy = POLICY_DEADLINE),
	  .want = ATTR(),
	  .calls = "DEADLINE nice 0 runtime 1024 of 4194304000 in 4194304000 reset-on-fork, NORMAL "
		   "nice 0",
	  .refused = 1 },
	{ .from = ATTR(),
	  .want = ATTR(.policy = POLICY_RR, .rt_priority = 9),
	  .calls = "RR nice 0 priority 9" },
	/* A real-time policy hides the nice value, which therefore has a call of its own. */
	{ .from = ATTR(.policy = POLICY_RR, .rt_priority = 9, .nice = -4),
	  .want = ATTR(.policy = POLICY_RR, .rt_priority = 9, .nice = 3),
	  .calls = "nice from -4 to 3" },
	{ .from = ATTR(.nice = -4),
	  .want = ATTR(.policy = POLICY_RR, .rt_priority = 9),
	  .calls = "RR nice 0 priority 9, nice from -4 to 0, RR nice 0 priority 9, nice from -4 to 0",
	  .refused = 2 },
	/* The default util_min under real time is 1024: a util_max below it would be refused. */
	{ .from = ATTR(.policy = POLICY_RR, .rt_priority = 1),
	  .want = { .policy = POLICY_BATCH, .nice = 2, .slice_ns = 16 * MS, .util_max = 512 },
	  .calls = "BATCH nice 2 runtime 16000000 min reset max 512" },
};

KERNEL_TEST(each_action_takes_these_calls)
{
	for (size_t i = 0; i < COUNT(actions); i++) {
		const struct plan_action action = { .tid = 7,
						    .from = actions[i].from,
						    .want = actions[i].want,
						    .deadline = actions[i].deadline };
		struct task_attr now;

		kernel_on(NULL);
		kernel.others.policy = action.from.policy;
		kernel.nice = action.from.nice;
		kernel.refused = actions[i].refused;
		kernel.why_refused = actions[i].r ? actions[i].r : -EINVAL;
		assert_int_equal(applier_apply(&applier, &action, &now), actions[i].r);
		if (strcmp(kernel.calls, actions[i].calls) != 0)
			fail_msg("action %zu: %s", i, kernel.calls);
	}
}

KERNEL_TEST(without_clamps_none_is_set)
{
	const struct plan_action action =
		action_to((struct task_attr){ .util_min = 1, .util_max = 2 });

	applier.caps.util_clamp = false;
	apply(&action);
	assert_string_equal(kernel.calls, "keep nice 0");
}

/*
 * The kernel refuses a call that keeps the policy: somebody has changed it since it was read, or something else is
 * wrong.
 */
KERNEL_TEST(a_policy_changed_meanwhile_is_not_overwritten)
{
	const struct plan_action action =
		action_to((struct task_attr){ .nice = 4, .util_max = UTIL_FULL });
	struct task_attr now;

	kernel.refused = 1;
	kernel.why_refused = -EINVAL;
	assert_int_equal(applier_apply(&applier, &action, &now), -EINVAL);
	kernel.others = (struct ksched_attr){ .policy = POLICY_RR, .priority = 7 };
	kernel.n_calls = 0;
	assert_int_equal(applier_apply(&applier, &action, &now), -EAGAIN);
}

/* ---- the result of an action ---- */

KERNEL_TEST(the_result_is_read_once)
{
	const struct plan_action action = action_to((struct task_attr){
		.policy = POLICY_BATCH, .nice = 4, .slice_ns = 20 * MS, .util_max = 256 });
	struct task_attr now;

	kernel.others = (struct ksched_attr){
		.policy = POLICY_BATCH, .nice = 4, .runtime = 20 * MS, .util_max = 256
	};
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(kernel.n_gets, 1);
	assert_true(task_attr_equal(&now, &action.want));
	kernel.get_result = -EPERM;
	assert_int_equal(applier_apply(&applier, &action, &now), -EPERM);
}

KERNEL_TEST(the_result_is_what_was_read_back)
{
	const struct plan_action action = action_to((struct task_attr){ .nice = 4 });
	struct task_attr now;

	kernel.others.nice = -7;
	kernel.n_overtaken = 1;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(now.nice, -7);
	assert_int_equal(kernel.n_calls, 1);
}

/* The action is repeated until the task keeps it. */
KERNEL_TEST(an_action_that_the_owner_overtakes_is_repeated)
{
	struct plan_action action =
		action_to((struct task_attr){ .nice = 2, .util_max = UTIL_FULL });
	struct task_attr now;

	action.from.nice = -4;
	kernel.others.nice = -3;
	kernel.n_overtaken = 3;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(now.nice, 2);
	assert_int_equal(kernel.n_calls, 4);
	/* The owner lowered the task, or took privilege. */
	for (int nice = -5; nice < 4; nice += 8) {
		kernel_on(NULL);
		kernel.others.nice = nice;
		kernel.n_overtaken = 1;
		assert_int_equal(applier_apply(&applier, &action, &now), 0);
		assert_int_equal(now.nice, nice);
		assert_int_equal(kernel.n_calls, 1);
	}
	/* The number of repetitions is limited. */
	kernel_on(NULL);
	kernel.others.nice = -3;
	kernel.n_overtaken = 1000;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(now.nice, -3);
	assert_int_equal(kernel.n_calls, 1 + APPLY_AGAIN_MAX);
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

/* ---- reading attributes ---- */

/* Attributes as the kernel shows them, and as the daemon reads them. */
KERNEL_TEST(attributes_are_read_as_the_kernel_means_them)
{
	static const struct {
		struct ksched_attr shown;
		struct task_attr want;
		bool bare; /* a kernel without slices and clamps */
	} cases[] = {
		{ .shown = { .policy = POLICY_IDLE,
			     .flags = KSCHED_FLAG_RESET_ON_FORK,
			     .nice = -20,
			     .priority = 3,
			     .runtime = 7 * MS,
			     .util_min = 1,
			     .util_max = 2 },
		  .want = { .policy = POLICY_IDLE,
			    .reset_on_fork = 1,
			    .nice = -20,
			    .slice_ns = 7 * MS,
			    .util_min = 1,
			    .util_max = 2 } },
		/*
		 * Under real time, slice and the default of util_min have no meaning, and the nice value is read by
		 * another call.
		 */
		{ .shown = { .policy = POLICY_RR,
			     .priority = 9,
			     .nice = 5,
			     .runtime = 100 * MS,
			     .util_min = 1024,
			     .util_max = 1024 },
		  .want = ATTR(.policy = POLICY_RR, .rt_priority = 9, .nice = 3) },
		{ .shown = { .util_min = 1024, .util_max = 1024 }, .want = ATTR(.util_min = 1024) },
		{ .shown = { .runtime = 1ULL << 32 | 5, .util_max = 1024 },
		  .want = ATTR(.slice_ns = UINT32_MAX) },
		{ .shown = { .runtime = 7 * MS, .util_min = 1 }, .want = ATTR(), .bare = true },
	};
	struct task_attr now;

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (cases[i].bare)
			applier.caps = (struct attr_caps){ 0 };
		kernel.others = cases[i].shown;
		kernel.nice = 3;
		assert_int_equal(applier_read(&applier, 7, &now), 0);
		if (!task_attr_equal(&now, &cases[i].want))
			fail_msg("case %zu", i);
	}
}

KERNEL_TEST(a_look_at_a_missing_task_fails)
{
	struct task_attr now;

	kernel.get_result = -ESRCH;
	assert_int_equal(applier_read(&applier, 7, &now), -ESRCH);
	assert_int_equal(applier_refresh_base(&applier), -ESRCH);
	assert_int_equal(applier.caps.base_slice_ns, 3 * MS);
}

/* ---- the base slice ---- */

/* Our own slice is taken away for a moment. */
#define REFRESHES "own: keep nice 0, own: keep nice 0 runtime 650000"

KERNEL_TEST(a_cleared_slice_refreshes_the_base_slice)
{
	const struct plan_action action = action_to(task_attr_pristine);

	kernel.base_slice_ns = kernel.others.runtime = 4 * MS;
	apply(&action);
	assert_int_equal(applier.caps.base_slice_ns, 4 * MS);
	assert_string_equal(kernel.calls, REFRESHES);
	apply(&action);
	assert_string_equal(kernel.calls, REFRESHES);
}

KERNEL_TEST(a_custom_slice_does_not_refresh_it)
{
	const struct plan_action action = action_to((struct task_attr){ .slice_ns = 8 * MS });

	kernel.others.runtime = 8 * MS;
	apply(&action);
	assert_int_equal(kernel.n_own_gets, 0);
}

/* ---- the daemon itself ---- */

KERNEL_TEST(init_sets_nice_minus_20_and_a_short_slice)
{
	kernel.base_slice_ns = 4 * MS;
	assert_int_equal(applier_prioritize_self(&applier), 0);
	assert_string_equal(kernel.calls, "own: NORMAL nice -20 min reset max reset, "
					  "own: keep nice -20, own: keep nice -20 runtime 650000");
	assert_int_equal(applier.caps.base_slice_ns, 4 * MS);
}

KERNEL_TEST(init_sets_nice_0_if_not_privileged)
{
	applier.caps.util_clamp = false;
	kernel.refused = 1;
	kernel.why_refused = -EPERM;
	assert_int_equal(applier_prioritize_self(&applier), 0);
	assert_string_equal(kernel.calls, "own: NORMAL nice -20, own: NORMAL nice 0, " REFRESHES);
}

KERNEL_TEST(another_policy_of_ours_stays)
{
	kernel.own = (struct ksched_attr){ .policy = POLICY_FIFO, .priority = 1 };
	assert_int_equal(applier_refresh_base(&applier), 0);
	assert_string_equal(kernel.calls, "");
	assert_int_equal(applier.caps.base_slice_ns, 3 * MS);
}

KERNEL_TEST(without_slices_there_is_no_base_slice)
{
	applier.caps.slice = false;
	applier.caps.base_slice_ns = 0;
	assert_int_equal(applier_prioritize_self(&applier), 0);
	assert_int_equal(applier.caps.base_slice_ns, 0);
	assert_string_equal(kernel.calls, "own: NORMAL nice -20 min reset max reset");
}

/* ---- after a change of the base slice ---- */

KERNEL_TEST(a_task_without_a_slice_is_made_to_show_the_new_base_slice)
{
	kernel.others = (struct ksched_attr){
		.policy = POLICY_BATCH,
		.nice = 4,
		.flags = KSCHED_FLAG_RESET_ON_FORK | KSCHED_FLAG_UTIL_CLAMP_MAX,
		.util_max = 256,
		.runtime = 3 * MS,
	};
	assert_int_equal(applier_refresh_slice(&applier, 7, 3 * MS), 0);
	/* A clamp that need not change is not touched. */
	assert_string_equal(kernel.calls, "keep nice 4");
}

KERNEL_TEST(a_task_with_a_slice_or_that_is_not_fair_is_not_set)
{
	kernel.others.runtime = 5 * MS;
	assert_int_equal(applier_refresh_slice(&applier, 7, 3 * MS), 0);
	kernel.others.runtime = 3 * MS;
	kernel.others.policy = POLICY_DEADLINE;
	assert_int_equal(applier_refresh_slice(&applier, 7, 3 * MS), 0);
	kernel.get_result = -ESRCH;
	assert_int_equal(applier_refresh_slice(&applier, 7, 3 * MS), -ESRCH);
	assert_int_equal(kernel.n_calls, 0);
}
