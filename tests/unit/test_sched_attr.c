/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that the kernel's features are found under any policy and by any user. */
#include "test.h"

#include <sched.h>
#include <unistd.h>

#include <schedqos/kernel/sched_attr.h>

#define NOBODY 65534

TEST(a_probe_works_under_any_policy_and_does_not_change_it)
{
	/* Policies that a user cannot leave come last. */
	static const struct {
		int policy, priority;
	} cases[] = { { SCHED_BATCH, 0 }, { SCHED_RR, 1 }, { SCHED_IDLE, 0 } };
	struct ksched_features normal, other;

	assert_int_equal(ksched_probe(&normal), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct sched_param param = { .sched_priority = cases[i].priority };

		if (sched_setscheduler(0, cases[i].policy, &param) < 0)
			continue;
		/* Tries the same as an ordinary user. */
		if (geteuid() == 0)
			assert_int_equal(seteuid(NOBODY), 0);
		assert_int_equal(ksched_probe(&other), 0);
		if (getuid() == 0)
			assert_int_equal(seteuid(0), 0);
		assert_int_equal(sched_getscheduler(0), cases[i].policy);
		assert_int_equal(other.slice, normal.slice);
		assert_int_equal(other.util_clamp, normal.util_clamp);
	}
}
