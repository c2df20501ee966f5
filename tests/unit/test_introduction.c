/* SPDX-License-Identifier: GPL-2.0-only */
/* What a daemon that was started by hand tells at its start: a rule to try out. */
#include "config_case.h"

#include "../../src/daemon/daemon_private.h"

static void assert_introduces(const char *rules, const char *pattern)
{
	struct config *config = GOOD(RULES(rules));
	const struct rule *rule = introduction_rule(config);

	if (pattern)
		assert_string_equal(rule ? rule->pattern : "none", pattern);
	else
		assert_null(rule);
	config_free(config);
}

static void the_rule_to_try_is_one_that_a_shell_can_name_and_ps_can_show(void **state)
{
	(void)state;
	assert_introduces("{\"make\": {\"qos\": \"QOS_BACKGROUND\"}, \"x; reboot\": {\"qos\": \"QOS_BACKGROUND\"}}",
			  "make");
	assert_introduces("{\"a\": {\"qos\": \"QOS_UTILITY\"}, \"b\": {\"qos\": \"QOS_USER_INTERACTIVE\"},"
			  " \"c\": {\"qos\": \"QOS_UTILITY\", \"match\": {\"user\": 1}}, \"d*\": {\"qos\": \"QOS_UTILITY\"}}",
			  "a");
	assert_introduces("{\"a\": {\"thread_qos\": {\"x\": \"QOS_UTILITY\"}}, \"b\": null,"
			  " \"QOS_RT\": {\"sched_policy\": \"SCHED_FIFO\", \"sched_priority\": 1}, \"c\": {\"qos\": \"QOS_RT\"}}",
			  NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rule_to_try_is_one_that_a_shell_can_name_and_ps_can_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
