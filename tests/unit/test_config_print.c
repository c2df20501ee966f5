/* SPDX-License-Identifier: GPL-2.0-only */
/* The merged configuration as one rules file that gives the same again. */
#include "config_case.h"

#define DL "\"sched_policy\": \"SCHED_DEADLINE\""

static void print_is_a_rules_file(void **state)
{
	static const char want[] = "{\n"
				   "\t\"schedqos\": {\n"
				   "\t\t\"sched_profile\": null,\n"
				   "\t\t\"default\": \"all\",\n"
				   "\t\t\"autogroup\": \"off\",\n"
				   "\t\t\"log\": \"info\"\n"
				   "\t},\n"
				   "\t\"QOS_USER_INTERACTIVE\": {\n"
				   "\t\t\"sched_policy\": \"SCHED_FIFO\",\n"
				   "\t\t\"sched_priority\": 7,\n"
				   "\t\t\"sched_util_max\": 1024\n"
				   "\t},\n";
	struct config *config =
		GOOD(RULES("{\"QOS_USER_INTERACTIVE\": {\"sched_policy\": \"SCHED_FIFO\","
			   "\"sched_priority\": 7}, \"schedqos\": {\"sched_profile\": null,"
			   "\"default\": \"all\", \"log\": \"info\"}}"));
	char *text = config_print(config, false);

	(void)state;
	assert_memory_equal(text, want, strlen(want));
	free(text);
	config_free(config);
}

static void print_round_trip(const struct config_file *files, size_t n)
{
	struct config *config = parse_good(files, n), *again;
	char *first = config_print(config, false), *second;
	struct config_file printed = RULES(first);

	again = parse_good(&printed, 1);
	second = config_print(again, false);
	assert_string_equal(second, first);
	assert_int_equal(again->n_classes, config->n_classes);
	for (size_t i = 0; i < config->n_classes; i++) {
		assert_string_equal(again->classes[i].name, config->classes[i].name);
		assert_int_equal(again->classes[i].attr.has, config->classes[i].attr.has);
	}
	assert_int_equal(rules_count(again->rules), rules_count(config->rules));
	free(first);
	free(second);
	config_free(config);
	config_free(again);
}

static void print_has_io_where_it_is_given(void **state)
{
	struct config *config = GOOD(RULES("{\"QOS_A\": {\"io_class\": \"best-effort\", \"io_priority\": 0},"
					   "\"QOS_B\": {\"sched_nice\": 1, \"io_class\": \"none\"}}"));
	char *text = config_print(config, false);

	(void)state;
	assert_non_null(strstr(text, "\"SCHED_NORMAL\",\n\t\t\"io_class\": \"best-effort\",\n\t\t\"io_priority\": 0\n\t}"));
	assert_non_null(strstr(text, "\"sched_nice\": 1,\n\t\t\"io_class\": \"none\"\n\t}"));
	free(text);
	config_free(config);
}

static void print_has_yield_where_it_is_given(void **state)
{
	struct config *config = GOOD(RULES("{\"a\": {}, \"b\": {\"yield\": true},"
					   "\"c\": {\"enforce\": true, \"yield\": false}}"));
	char *text = config_print(config, false);

	(void)state;
	assert_non_null(strstr(text, "\t\"a\": {},\n"
				     "\t\"b\": {\n\t\t\"yield\": true\n\t},\n"
				     "\t\"c\": {\n\t\t\"enforce\": true,\n\t\t\"yield\": false\n\t}\n"));
	free(text);
	config_free(config);
}

static void print_says_which_user_namespaces_are_meant(void **state)
{
	struct config *config = GOOD(RULES("{\"/a\": {\"match\": {\"user_namespace\": \"any\"}},"
					   "\"b\": {\"match\": {\"user\": 0, "
					   "\"user_namespace\": \"initial\"}}}"));
	char *text = config_print(config, false);

	(void)state;
	assert_non_null(strstr(text, "{\n\t\t\t\"user_namespace\": \"any\"\n\t\t}"));
	assert_non_null(strstr(text, "\"user\": 0,\n\t\t\t\"user_namespace\": \"initial\"\n"));
	free(text);
	config_free(config);
}

static void print_gives_the_same_again(void **state)
{
	static const struct config_file files[] = {
		PRESET("p", "{\"QOS_UTILITY\": {\"sched_nice\": 9}, \"QOS_DL\": {" DL
			    ", \"sched_runtime\": 2000, \"sched_deadline\": 9223372036854775807,"
			    " \"sched_period\": 9223372036854775807}}"),
		RULES("{\"x\": {}, \"gone\": {}, \"a*\": {\"qos\": \"QOS_DL\"}}"),
		RULES("{\"schedqos\": {\"mapping\": \"p\", \"sched_profile\": null,"
		      " \"default\": \"none\", \"autogroup\": \"keep\", \"groups\": {"
		      "\"/a b\": {\"max\": \"QOS_NEW\"}, \"gone\": null,"
		      " \"background\": {\"QOS_NEW\": false, \"QOS_UTILITY\": true}}},\n"
		      "\"QOS_NEW\": {\"sched_util_min\": 3, \"sched_priority\": 0},\n"
		      "\"QOS_IO\": {\"io_class\": \"realtime\", \"io_priority\": 5},\n"
		      "\"QOS_BACKGROUND\": {\"io_class\": \"best-effort\"}, \"QOS_IDLE\": {\"io_class\": \"idle\"},\n"
		      "\"gone\": null, \"b*\": {\"inherit\": true, \"enforce\": true,"
		      "\"qos\": \"QOS_NEW\", \"version\": \"\\\"q\\\\\"},\n"
		      "\"q\\\"\\n\\u0085\u00e9\u202e\U0001f600\\udb40\\udc01\": {\"period\": 5000,"
		      "\"thread_qos\": {\"z\": \"QOS_DL\", \"a?\": \"QOS_NEW\", \"b\": "
		      "\"QOS_DL\"}},\n"
		      "\"l\": [{\"match\": {\"user\": 0, \"argv\": [\"a\", \"b\"], \"exe\": "
		      "\"/x\"}},\n"
		      "{\"match\": {\"user\": \"alice\", \"cgroup\": \"/\", \"parent\": \"p\", "
		      "\"user_namespace\": \"initial\"}},\n"
		      "{\"match\": {\"user_namespace\": \"any\"}}]}"),
	};

	(void)state;
	print_round_trip(files, COUNT(files));
	print_round_trip(NULL, 0);
}

/* Equally good globs: the later file's wins, and still does once all is one file. */
static void print_keeps_which_glob_wins(void **state)
{
	struct config *config = GOOD(RULES("{\"ab*\": {\"qos\": \"QOS_UTILITY\"}}"),
				     RULES("{\"a*c\": {\"qos\": \"QOS_BACKGROUND\"}}"));
	char *text = config_print(config, false);
	struct config *again = GOOD(RULES(text));
	struct facts facts = {
		.have = FACT_EXE | FACT_ARGV | FACT_COMM,
		.exe = "/bin/abc",
		.argv = "abc",
		.argv_size = 4,
		.comm = "abc",
	};
	int error;

	(void)state;
	assert_string_equal(rules_match(config->rules, &facts, &error)->pattern, "a*c");
	assert_string_equal(rules_match(again->rules, &facts, &error)->pattern, "a*c");
	free(text);
	config_free(config);
	config_free(again);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(print_is_a_rules_file),
		cmocka_unit_test(print_has_io_where_it_is_given),
		cmocka_unit_test(print_has_yield_where_it_is_given),
		cmocka_unit_test(print_says_which_user_namespaces_are_meant),
		cmocka_unit_test(print_gives_the_same_again),
		cmocka_unit_test(print_keeps_which_glob_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
