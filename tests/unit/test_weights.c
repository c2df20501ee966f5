/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies cpu weights: the weight of a class, the entry that applies to a unit, and the shares of two tasks. */
#include "config_case.h"

#include <math.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/cpu_share.h>

static unsigned weight_of(struct qos_attr attr)
{
	const struct qos_class class = { .name = "QOS_X", .attr = attr };

	return weight_of_class(&class);
}

static unsigned weight_of_nice(int nice)
{
	return weight_of(
		(struct qos_attr){ .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_BATCH, .nice = nice });
}

/* The weights are those of kernel/sched/core.c, relative to nice 0. */
TEST(a_nice_value_has_the_kernel_s_weight)
{
	assert_int_equal(weight_of_nice(-20), 8668);
	assert_int_equal(weight_of_nice(-4), 244);
	assert_int_equal(weight_of_nice(-3), 194);
	assert_int_equal(weight_of_nice(0), 100);
	assert_int_equal(weight_of_nice(2), 64);
	assert_int_equal(weight_of_nice(4), 41);
	assert_int_equal(weight_of_nice(19), 1);
	for (int nice = -20; nice < 19; nice++) {
		const struct cpu_rival a = { .task.nice = nice }, b = { .task.nice = nice + 1 };
		const double ratio = cpu_share(&a, &b) / cpu_share(&b, &a);

		assert_true(ratio > 1.15 && ratio < 1.35);
	}
}

TEST(a_class_without_a_nice_value_has_the_weight_of_its_policy)
{
	assert_int_equal(weight_of((struct qos_attr){ .has = 0 }), 100);
	assert_int_equal(weight_of((struct qos_attr){ .has = QOS_HAS_POLICY, .policy = POLICY_IDLE }), CPU_WEIGHT_MIN);
	assert_int_equal(weight_of((struct qos_attr){ .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_FIFO,
						      .priority = 1 }),
			 CPU_WEIGHT_MAX);
}

TEST(the_most_specific_entry_applies_to_a_unit)
{
	static const char *const first = "{\"schedqos\": {\"weights\": {\"*.service\": 1, \"app-*.scope\": 2, \"a.service\": 3,"
					 "\"b.service\": 4, \"c.service\": 5, \"x*.slice\": 11, \"*y.slice\": 12}}}";
	static const char *const second = "{\"schedqos\": {\"weights\": {\"a*.service\": 6, \"b.service\": \"QOS_MINE\", \"c.service\": "
					  "null, \"?.service\": 7, \"user.slice\": {\"weight\": 8, \"when\": \"seat\"}}}, "
					  "\"QOS_MINE\": {\"sched_nice\": 4}}";
	static const struct {
		const char *unit;
		unsigned weight, without_seat;
	} cases[] = {
		{ "a.service", 3, 3 },	 { "ab.service", 6, 6 }, { "b.service", 41, 41 },  { "c.service", 7, 7 },
		{ "cc.service", 1, 1 },	 { "app-1.scope", 2, 2 }, { "user.slice", 8, 0 }, { "system.slice", 0, 0 },
		{ "xy.slice", 11, 11 },
	};
	struct config *config = GOOD(RULES(first), RULES(second));

	assert_int_equal(config->weights.count, 9);
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(weights_find(&config->weights, cases[i].unit, true), cases[i].weight);
		assert_int_equal(weights_find(&config->weights, cases[i].unit, false), cases[i].without_seat);
	}
	config_free(config);
}

/* ---- shares ---- */

#define TASK(policy, nice_value) { 0, { POLICY_##policy, .nice = nice_value } }
#define RT(policy, priority)     { 0, { POLICY_##policy, .rt_priority = priority } }
#define IN(weight, policy, nice_value) { weight, { POLICY_##policy, .nice = nice_value } }

TEST(shares_follow_weights_and_policies)
{
	static const struct {
		struct cpu_rival a, b;
		double share;
	} table[] = {
		/* one cgroup: nice values and policies count */
		{ TASK(NORMAL, 0), TASK(NORMAL, 0), .5 },
		{ TASK(NORMAL, -4), TASK(NORMAL, 4), 2501. / 2924 },
		{ TASK(BATCH, 0), TASK(NORMAL, 0), .5 },
		{ TASK(NORMAL, 19), TASK(IDLE, -20), 15. / 18 },
		{ TASK(IDLE, 0), TASK(IDLE, 19), .5 },
		/* without a sched_ext scheduler, a SCHED_EXT task is a fair one */
		{ TASK(EXT, 0), TASK(NORMAL, 5), 1024. / 1359 },
		/* two cgroups: only their weights count */
		{ IN(1024, NORMAL, -20), IN(1024, IDLE, 19), .5 },
		{ IN(2499, NORMAL, 19), IN(1024, NORMAL, -20), 2499. / 3523 },
		{ IN(3, NORMAL, 0), IN(1024, NORMAL, 0), 3. / 1027 },
		/* a cgroup next to a task */
		{ IN(2048, NORMAL, 19), TASK(NORMAL, 0), 2. / 3 },
		{ TASK(IDLE, 0), IN(2, NORMAL, 0), .6 },
		/* real-time priorities count in any cgroup */
		{ RT(FIFO, 1), IN(10240, NORMAL, -20), 1 },
		{ RT(RR, 2), RT(FIFO, 1), 1 },
		{ RT(RR, 5), RT(RR, 5), .5 },
		{ RT(FIFO, 5), RT(RR, 5), -1 },
		{ RT(FIFO, 5), RT(FIFO, 5), -1 },
		{ RT(DEADLINE, 0), TASK(NORMAL, 0), -1 },
		{ RT(DEADLINE, 0), RT(FIFO, 99), -1 },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		const double other = table[i].share < 0 ? -1 : 1 - table[i].share;

		assert_true(fabs(cpu_share(&table[i].a, &table[i].b) - table[i].share) < 1e-9);
		assert_true(fabs(cpu_share(&table[i].b, &table[i].a) - other) < 1e-9);
	}
}
