/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_kernel.h"

struct fake_kernel kernel;
struct applier applier;

static int fake_get(pid_t tid, struct ksched_attr *ret)
{
	kernel.n_gets++;
	kernel.n_own_gets += tid == 0;
	*ret = tid ? kernel.others : kernel.own;
	return kernel.get_result;
}

/* Only what takes privilege is kept. */
static void keep(const struct ksched_attr *attr)
{
	kernel.others.nice = attr->nice;
	if (!(attr->flags & KSCHED_FLAG_KEEP_POLICY))
		kernel.others.policy = attr->policy;
}

static int fake_set(pid_t tid, struct ksched_attr *attr)
{
	const size_t n = kernel.n_sets++;
	int r = 0;

	if (n < 4) {
		kernel.tids[n] = tid;
		kernel.sets[n] = *attr;
		r = kernel.set_results[n];
	}
	if (kernel.n_overtaken)
		kernel.n_overtaken--;
	else if (tid && r == 0)
		keep(attr);
	return r;
}

static int fake_get_nice(pid_t tid, int *ret)
{
	(void)tid;
	*ret = kernel.nice;
	return kernel.nice_result;
}

static int fake_replace_nice(pid_t tid, int from, int to)
{
	(void)tid;
	kernel.nice_from = from;
	kernel.nice_to = to;
	return kernel.nice_result;
}

static int fake_get_io(pid_t tid)
{
	(void)tid;
	kernel.n_io_gets++;
	return kernel.io;
}

static int fake_set_io(pid_t tid, int value)
{
	assert_int_equal(tid, 7);
	kernel.io_set = value;
	return kernel.io_result;
}

static const struct sched_ops fake_ops = { fake_get, fake_set, fake_get_nice, fake_replace_nice,
					    fake_get_io, fake_set_io };

int kernel_on(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.own = kernel.others = (struct ksched_attr){ .runtime = 3 * MS, .util_max = 1024 };
	kernel.io_set = -1;
	applier = (struct applier){ &fake_ops, { true, true, 3 * MS, false } };
	return 0;
}

struct plan_action action_to(struct task_attr want)
{
	return (struct plan_action){ .tid = 7, .from = task_attr_pristine, .want = want };
}

void apply(const struct plan_action *action)
{
	struct task_attr now;

	assert_int_equal(applier_apply(&applier, action, &now), 0);
}
