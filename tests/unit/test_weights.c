/* SPDX-License-Identifier: GPL-2.0-only */
/* Cpu weights: a class's number, and which entry holds for a unit. */
#include "config_case.h"

#include <schedqos/policy/config.h>
#include <schedqos/util/cleanup.h>

static unsigned weight_of(struct qos_attr attr)
{
	const struct qos_class class = { .name = "QOS_X", .attr = attr };

	return weight_of_class(&class);
}

static unsigned weight_of_nice(int nice)
{
	return weight_of((struct qos_attr){ .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_BATCH, .nice = nice });
}

/* As kernel/sched/core.c has them, as parts of nice 0. */
TEST(a_nice_value_is_a_weight)
{
	assert_int_equal(weight_of_nice(-20), 8668);
	assert_int_equal(weight_of_nice(-4), 244);
	assert_int_equal(weight_of_nice(-3), 194);
	assert_int_equal(weight_of_nice(0), 100);
	assert_int_equal(weight_of_nice(2), 64);
	assert_int_equal(weight_of_nice(4), 41);
	assert_int_equal(weight_of_nice(19), 1);
	for (int nice = -20; nice < 19; nice++)
		assert_true(weight_of_nice(nice) >= weight_of_nice(nice + 1));
}

TEST(so_is_a_class_without_one)
{
	assert_int_equal(weight_of((struct qos_attr){ .has = 0 }), 100);
	assert_int_equal(weight_of((struct qos_attr){ .has = QOS_HAS_POLICY, .policy = POLICY_IDLE }), CPU_WEIGHT_MIN);
	assert_int_equal(weight_of((struct qos_attr){ .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_FIFO,
						      .priority = 1 }),
			 CPU_WEIGHT_MAX);
}

TEST(the_one_that_says_most_holds)
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
	size_t n;
	struct unit_weight *weights = weights_rank(config, &config->weights, &n);

	assert_non_null(weights);
	assert_int_equal(n, 9);
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(weights_find(weights, n, cases[i].unit, true), cases[i].weight);
		assert_int_equal(weights_find(weights, n, cases[i].unit, false), cases[i].without_seat);
	}
	free(weights);
	config_free(config);
}
