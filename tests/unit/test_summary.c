/* SPDX-License-Identifier: GPL-2.0-only */
/* What a daemon that was started by hand tells at its start: names of tasks, and a rule to try out. */
#include "config_case.h"

#include "../../src/daemon/introduction.h"
#include "../../src/tagging/name_counts.h"

static struct name_counts counts;
static char text[NAME_COUNTS_TEXT_MAX];

static int begin(void **state)
{
	(void)state;
	counts = (struct name_counts){ 0 };
	return 0;
}

static void add(const char *name, int times)
{
	while (times-- > 0)
		name_counts_add(&counts, name);
}

static void the_most_frequent_names_come_first(void **state)
{
	(void)state;
	add("cc1", 1);
	add("make", 2);
	add("as", 1);
	add("sh", 12);
	assert_string_equal(name_counts_text(&counts, text), "sh 12, make 2, as, cc1");
	assert_int_equal(counts.tasks, 16);
}

static void names_are_escaped_and_fit_however_long_they_get(void **state)
{
	static const char worst[] = "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01";

	(void)state;
	add("new\nline", 9);
	for (char i = 1; i < 8; i++) {
		char name[TASK_COMM_LEN];

		snprintf(name, sizeof(name), "%c%s", i, worst);
		add(name, 2);
	}
	name_counts_text(&counts, text);
	assert_memory_equal(text, "new\\nline 9, \\x01\\x01", 20);
	assert_non_null(strstr(text, " and 4 more"));
}

static void of_too_many_names_the_tasks_are_counted(void **state)
{
	(void)state;
	add("first", 2);
	for (int i = 0; i < 3 * NAME_COUNTS_MAX; i++) {
		char name[TASK_COMM_LEN];

		snprintf(name, sizeof(name), "n%03d", i);
		add(name, 1);
	}
	assert_string_equal(name_counts_text(&counts, text), "first 2, n000, n001, n002, n003, n004 and 187 more");
}

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
		cmocka_unit_test_setup(the_most_frequent_names_come_first, begin),
		cmocka_unit_test_setup(names_are_escaped_and_fit_however_long_they_get, begin),
		cmocka_unit_test_setup(of_too_many_names_the_tasks_are_counted, begin),
		cmocka_unit_test(the_rule_to_try_is_one_that_a_shell_can_name_and_ps_can_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
