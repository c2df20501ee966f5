/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel can do is found out whatever policy we were started with. */
#include "test.h"

#include <errno.h>
#include <sched.h>

#include <schedqos/kernel/sched_attr.h>

TEST(a_probe_needs_no_policy_and_leaves_it)
{
	static const struct {
		int policy, priority;
	} cases[] = { { SCHED_BATCH, 0 }, { SCHED_IDLE, 0 }, { SCHED_RR, 1 } };
	struct ksched_features normal, other;

	assert_int_equal(ksched_probe(&normal), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct sched_param param = { .sched_priority = cases[i].priority }, none = { 0 };

		if (sched_setscheduler(0, cases[i].policy, &param) < 0)
			skip();
		/* To leave SCHED_IDLE takes a privilege. */
		if (ksched_probe(&other) == -EPERM)
			skip();
		assert_int_equal(sched_getscheduler(0), cases[i].policy);
		assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &none), 0);
		assert_int_equal(other.slice, normal.slice);
		assert_int_equal(other.util_clamp, normal.util_clamp);
	}
}
