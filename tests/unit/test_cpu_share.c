/* SPDX-License-Identifier: GPL-2.0-only */
/* What two get of a CPU by weight, policy and priority. */
#include "test.h"

#include <math.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/qos_class.h>

TEST(a_nice_value_is_worth_a_quarter_more_weight)
{
	assert_int_equal(nice_weight(0), 1024);
	assert_int_equal(nice_weight(-20), 88761);
	assert_int_equal(nice_weight(19), 15);
	for (int nice = -20; nice < 19; nice++) {
		const double ratio = (double)nice_weight(nice) / nice_weight(nice + 1);

		assert_true(ratio > 1.15 && ratio < 1.35);
	}
	/* What the kernel does with such values as well. */
	assert_int_equal(nice_weight(-100), 88761);
	assert_int_equal(nice_weight(100), 15);
}

#define TASK(policy, nice)     { 0, POLICY_##policy, nice, 0 }
#define RT(policy, priority)   { 0, POLICY_##policy, 0, priority }
#define IN(weight, policy, nice) { weight, POLICY_##policy, nice, 0 }

TEST(shares)
{
	static const struct {
		struct cpu_rival a, b;
		double share;
	} table[] = {
		/* one group: nice values and policies */
		{ TASK(NORMAL, 0), TASK(NORMAL, 0), .5 },
		{ TASK(NORMAL, -4), TASK(NORMAL, 4), 2501. / 2924 },
		{ TASK(BATCH, 0), TASK(NORMAL, 0), .5 },
		{ TASK(NORMAL, 19), TASK(IDLE, -20), 15. / 18 },
		{ TASK(IDLE, 0), TASK(IDLE, 19), .5 },
		/* a task of no sched_ext scheduler is a fair one */
		{ TASK(EXT, 0), TASK(NORMAL, 5), 1024. / 1359 },
		/* across a border: whatever is inside */
		{ IN(1024, NORMAL, -20), IN(1024, IDLE, 19), .5 },
		{ IN(2499, NORMAL, 19), IN(1024, NORMAL, -20), 2499. / 3523 },
		{ IN(3, NORMAL, 0), IN(1024, NORMAL, 0), 3. / 1027 },
		/* a group beside a task */
		{ IN(2048, NORMAL, 19), TASK(NORMAL, 0), 2. / 3 },
		{ TASK(IDLE, 0), IN(2, NORMAL, 0), .6 },
		/* priorities, wherever they are */
		{ RT(FIFO, 1), IN(10240, NORMAL, -20), 1 },
		{ RT(RR, 2), RT(FIFO, 1), 1 },
		{ RT(RR, 5), RT(RR, 5), .5 },
		{ RT(FIFO, 5), RT(RR, 5), -1 },
		{ RT(FIFO, 5), RT(FIFO, 5), -1 },
		{ RT(DEADLINE, 0), TASK(NORMAL, 0), -1 },
		{ RT(DEADLINE, 0), RT(FIFO, 99), -1 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const double other = table[i].share < 0 ? -1 : 1 - table[i].share;

		assert_true(fabs(cpu_share(&table[i].a, &table[i].b) - table[i].share) < 1e-9);
		assert_true(fabs(cpu_share(&table[i].b, &table[i].a) - other) < 1e-9);
	}
}
