/* SPDX-License-Identifier: GPL-2.0-only */
/* After a change of the base slice: tasks without a slice of their own are made to show the new one. */
#include "test.h"

#include <errno.h>

#include "../../src/tagging/apply.h"

#define MS  1000000U
#define TID 77

/* The kernel's behaviour since 6.12, for ourselves (0) and one task. */
static struct {
	uint32_t base;
	struct ksched_attr own, task;
	unsigned n_sets;
	int get_result;
} kernel;

static struct ksched_attr *attr_of(pid_t tid)
{
	return tid ? &kernel.task : &kernel.own;
}

static int fake_get(pid_t tid, struct ksched_attr *ret)
{
	*ret = *attr_of(tid);
	return kernel.get_result;
}

static int fake_set(pid_t tid, struct ksched_attr *attr)
{
	kernel.n_sets++;
	*attr_of(tid) = *attr;
	if (!attr->runtime)
		attr_of(tid)->runtime = kernel.base;
	return 0;
}

static const struct sched_ops ops = { .get = fake_get, .set = fake_set };
static struct applier applier;

static int set_up(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.base = 16 * MS;
	/* Neither has run since the base slice was 3 ms. */
	kernel.own = (struct ksched_attr){ .nice = -20, .runtime = 3 * MS };
	kernel.task = (struct ksched_attr){
		.policy = POLICY_BATCH,
		.nice = 4,
		.flags = KSCHED_FLAG_RESET_ON_FORK | KSCHED_FLAG_UTIL_CLAMP_MAX,
		.util_max = 256,
		.runtime = 3 * MS,
	};
	applier = (struct applier){ .ops = &ops, .caps = { true, true, 3 * MS, false } };
	return 0;
}

#define TEST_BASE_SLICE_TEST(name) TEST_IN(name, set_up, NULL)

TEST_BASE_SLICE_TEST(the_base_slice_is_as_of_now)
{
	assert_int_equal(applier_renew(&applier, 0, 5 * MS), 0);
	assert_int_equal(applier.caps.base_slice_ns, 16 * MS);
	assert_int_equal(kernel.own.nice, -20);
	kernel.get_result = -EPERM;
	assert_int_equal(applier_renew(&applier, 0, 5 * MS), -EPERM);
}

TEST_BASE_SLICE_TEST(a_task_that_shows_the_old_one_is_set_anew)
{
	assert_int_equal(applier_renew(&applier, TID, 3 * MS), 0);
	assert_int_equal(kernel.task.runtime, 16 * MS);
	assert_int_equal(kernel.task.policy, POLICY_BATCH);
	assert_int_equal(kernel.task.nice, 4);
	/* A clamp that is not asked for is not touched. */
	assert_int_equal(kernel.task.flags, KSCHED_FLAG_RESET_ON_FORK);
}

TEST_BASE_SLICE_TEST(other_tasks_are_left_alone)
{
	kernel.task.runtime = 5 * MS;
	assert_int_equal(applier_renew(&applier, TID, 3 * MS), 0);
	kernel.task.runtime = 3 * MS;
	kernel.task.policy = POLICY_DEADLINE;
	assert_int_equal(applier_renew(&applier, TID, 3 * MS), 0);
	kernel.get_result = -ESRCH;
	assert_int_equal(applier_renew(&applier, TID, 3 * MS), -ESRCH);
	assert_int_equal(kernel.n_sets, 0);
}
