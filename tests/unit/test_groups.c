/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies to which cgroups a group applies, the order of classes, and which class replaces one that is not allowed.
 */
#include "config_case.h"

#include <schedqos/policy/config.h>

#include "fake_process.h"

static bool holds(const char *pattern, const char *cgroup)
{
	const struct group group = { .pattern = pattern };

	return group_holds(&group, cgroup);
}

TEST(a_name_matches_any_component_of_the_path)
{
	assert_true(holds("background", "/background"));
	assert_true(holds("background", "/user.slice/background"));
	assert_true(holds("background", "/user.slice/background/app.scope/x"));
	assert_true(holds("app-*.scope", "/user.slice/app-firefox-12.scope"));
	assert_false(holds("background", "/background.slice"));
	assert_false(holds("background", "/"));
	assert_false(holds("user", "/user.slice"));
	/* A name does not match across components. */
	assert_false(holds("user*scope", "/user.slice/app.scope"));
	/* A backslash makes a special character literal only in a glob. */
	assert_true(holds("a\\[*", "/a[b"));
	assert_true(holds("a\\x2db.slice", "/system.slice/a\\x2db.slice"));
}

TEST(a_path_matches_the_cgroup_or_one_around_it)
{
	assert_true(holds("/user.slice", "/user.slice"));
	assert_true(holds("/user.slice", "/user.slice/a/b"));
	assert_true(holds("/user.slice/*/b", "/user.slice/a/b/c"));
	assert_true(holds("*/background.slice", "/user.slice/user-1000.slice/background.slice/x.scope"));
	assert_true(holds("/", "/"));
	assert_false(holds("/", "/a"));
	assert_true(holds("/*", "/a"));
	assert_false(holds("/user.slice", "/user.slices"));
	assert_false(holds("/a/b", "/a"));
	assert_false(holds("user.slice/a", "/user.slice/a"));
	assert_true(holds("/user.slice/a/b*", "/user.slice/a/b"));
	assert_false(holds("/user.slice/a/b*", "/user.slice/a"));
	/* Every path of a cgroup has a slash. */
	assert_false(holds("*", ""));
}

TEST(classes_are_ordered_by_policy_nice_value_and_slice)
{
	/* From the highest to the lowest. */
	static const struct qos_class order[] = {
		{ .attr = { .has = QOS_HAS_POLICY, .policy = POLICY_DEADLINE } },
		{ .attr = { .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_FIFO, .priority = 50 } },
		{ .attr = { .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_RR, .priority = 1 } },
		{ .attr = { .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_BATCH, .nice = -4 } },
		{ .attr = { .has = QOS_HAS_RUNTIME, .runtime = 3000000 } },
		{ .attr = { .has = QOS_HAS_NICE | QOS_HAS_RUNTIME, .runtime = 8000000 } },
		{ .attr = { .has = QOS_HAS_RUNTIME | QOS_HAS_IO_CLASS,
			    .runtime = 8000000,
			    .io_class = IO_CLASS_IDLE } },
		{ .attr = { .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_REALTIME } },
		{ .attr = { .has = QOS_HAS_POLICY, .policy = POLICY_NORMAL } },
		{ .attr = { .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_NORMAL, .nice = 19 } },
		{ .attr = { .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_IDLE, .nice = -20 } },
	};
	const int n = sizeof(order) / sizeof(order[0]);

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++) {
			const int compared = class_compare(&order[i], &order[k]);

			assert_int_equal((compared > 0) - (compared < 0), (i > k) - (i < k));
		}
	}
}

/* Returns the name of the class that replaces this one in a cgroup. */
static const char *class_in(const struct config *config, const char *cgroup, const char *class)
{
	struct limits *limits = limits_new(config);
	const struct qos_class *lowest = qos_class_find(config->classes, config->n_classes, "QOS_BACKGROUND");
	const char *found = NULL;
	uint16_t limit, again;
	const struct tag *tags = config->rules->tags;
	const size_t n_tags = config->rules->n_tags;

	assert_non_null(limits);
	assert_int_equal(limits_find(limits, cgroup, NULL, &limit), 0);
	/* Requests in between do not matter. */
	assert_int_equal(limits_find(limits, "/none", NULL, &again), 0);
	assert_int_equal(again, 0);
	assert_int_equal(limits_find(limits, "/none", lowest, &again), 0);
	assert_int_not_equal(again, 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(limits_find(limits, cgroup, NULL, &again), 0);
		assert_int_equal(limit, again);
	}
	assert_int_equal(limits_apply(limits, limit, TAG_NONE), TAG_NONE);
	for (uint16_t i = 0; i < n_tags; i++) {
		const uint16_t tag = limits_apply(limits, limit, i);

		if (strcmp(config->classes[tags[i].qos_class].name, class) != 0)
			continue;
		assert_in_range(tag, 0, n_tags - 1);
		assert_int_equal(tags[tag].period_ns, tags[i].period_ns);
		found = config->classes[tags[tag].qos_class].name;
	}
	limits_free(limits);
	assert_non_null(found);
	return found;
}

TEST(a_class_that_is_not_allowed_becomes_the_next_lower_one)
{
	struct config *config = rules_file("'schedqos': { 'groups': {"
					   " 'max': { 'max': 'QOS_UTILITY' },"
					   " 'one': { 'QOS_USER_INTERACTIVE': false, 'QOS_UTILITY': true },"
					   " 'two': { 'QOS_USER_INTERACTIVE': false, 'QOS_USER_INITIATED': false },"
					   " 'low': { 'max': 'QOS_BACKGROUND' },"
					   " 'any': { 'max': 'QOS_USER_INTERACTIVE' },"
					   " 'lowest': { 'QOS_BACKGROUND': false } } },"
					   "'a': { 'qos': 'QOS_UTILITY', 'period': 8000000 }");
	static const struct {
		const char *cgroup, *class, *becomes;
	} cases[] = {
		{ "/max", "QOS_USER_INTERACTIVE", "QOS_UTILITY" },
		{ "/max", "QOS_USER_INITIATED", "QOS_UTILITY" },
		{ "/max", "QOS_UTILITY", "QOS_UTILITY" },
		{ "/max", "QOS_BACKGROUND", "QOS_BACKGROUND" },
		{ "/max/low", "QOS_USER_INTERACTIVE", "QOS_BACKGROUND" },
		{ "/low/max", "QOS_USER_INTERACTIVE", "QOS_BACKGROUND" },
		{ "/low", "QOS_DEFAULT", "QOS_BACKGROUND" },
		{ "/one", "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED" },
		{ "/one", "QOS_USER_INITIATED", "QOS_USER_INITIATED" },
		{ "/one/two", "QOS_USER_INTERACTIVE", "QOS_UTILITY" },
		{ "/any", "QOS_USER_INTERACTIVE", "QOS_USER_INTERACTIVE" },
		{ "/lowest", "QOS_BACKGROUND", "QOS_BACKGROUND" },
		{ "/lowest", "QOS_UTILITY", "QOS_UTILITY" },
		{ "/lowest/low", "QOS_USER_INITIATED", "QOS_BACKGROUND" },
		{ "/none", "QOS_USER_INTERACTIVE", "QOS_USER_INTERACTIVE" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(class_in(config, cases[i].cgroup, cases[i].class), cases[i].becomes);
	config_free(config);
}
