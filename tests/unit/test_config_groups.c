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

/* The same policy, nice and slice: of no use to either, and people should know. */
static void a_group_s_class_that_is_no_higher_than_another(void **state)
{
	struct config *config =
		GOOD(RULES("{\"QOS_TWIN\": {\"sched_policy\": \"SCHED_BATCH\", \"sched_nice\": 2, \"sched_runtime\": 16000000},"
			   "\n\"schedqos\": {\"groups\": {\"a\": {\"max\": \"QOS_UTILITY\"},"
			   "\n\"b\": {\"max\": \"QOS_BACKGROUND\"}}}}"));
	struct config_errors errors = { 0 };

	(void)state;
	assert_int_equal(config_check_groups(config, &errors), 0);
	assert_int_equal(errors.n_errors, 0);
	assert_int_equal(errors.count, 1);
	assert_string_equal(errors.items[0].path, "schedqos.groups.a");
	assert_int_equal(errors.items[0].line, 2);
	assert_non_null(strstr(errors.items[0].message, "QOS_TWIN is as high as QOS_UTILITY"));
	config_errors_clear(&errors);
	config_free(config);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_merge_pattern_by_pattern),
		cmocka_unit_test(a_group_s_class_that_is_no_higher_than_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
