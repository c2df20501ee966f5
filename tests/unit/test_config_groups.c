/* SPDX-License-Identifier: GPL-2.0-only */
/* The setting "groups": how files add up, and what is warned of. */
#include "config_case.h"

static void groups_merge_pattern_by_pattern(void **state)
{
	struct config *config =
		GOOD(RULES("{\"schedqos\": {\"groups\": {\"a\": {\"max\": \"QOS_UTILITY\"},"
			   " \"b\": {\"max\": \"QOS_UTILITY\"}, \"c\": {\"QOS_UTILITY\": false}}}}"),
		     RULES("{\"schedqos\": {\"groups\": {\"b\": {\"QOS_LATER\": false, \"QOS_UTILITY\": true}, \"c\": null}},"
			   " \"QOS_LATER\": {\"sched_policy\": \"SCHED_IDLE\"}}"));
	const struct group *groups = config->groups;

	(void)state;
	assert_int_equal(config->n_groups, 3);
	assert_string_equal(groups[0].pattern, "a");
	assert_string_equal(groups[0].max, "QOS_UTILITY");
	assert_int_equal(groups[0].source.file, 0);
	assert_null(groups[1].max);
	assert_int_equal(groups[1].n_classes, 2);
	assert_string_equal(groups[1].classes[0].name, "QOS_LATER");
	assert_false(groups[1].classes[0].is_allowed);
	assert_true(groups[1].classes[1].is_allowed);
	assert_int_equal(groups[1].source.file, 1);
	assert_true(groups[2].is_masked);
	config_free(config);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_merge_pattern_by_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
