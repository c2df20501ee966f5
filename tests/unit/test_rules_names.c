/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules, as a specification: the names of a process, above all of one that runs a script. */
#include "fake_process.h"

/* ---- scripts ---- */

static void a_script_s_name_may_be_behind_an_option_of_its_interpreter(void **state)
{
	struct process process = PROCESS("/usr/bin/awk", "tool", "awk\0-f\0/usr/bin/tool\0x");
	struct process far = PROCESS("/usr/bin/awk", "tool", "awk\0-w\0-f\0/usr/bin/tool");
	struct config *config = rules_file("'tool': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, "tool");
	assert_matches(config, &far, NULL);
	config_free(config);
}

static void a_long_script_name_is_known_by_its_first_15_bytes(void **state)
{
	struct process process = PROCESS("/usr/bin/awk", "a-very-long-scr",
					 "awk\0/usr/bin/a-very-long-script-name");
	struct config *config = rules_file("'a-very-long-script-name': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, "a-very-long-script-name");
	config_free(config);
}

static void an_argument_that_comm_does_not_confirm_is_no_script(void **state)
{
	struct process editor = PROCESS("/usr/bin/vi", "vi", "vi\0/usr/bin/tool");
	struct process renamed = PROCESS("/usr/bin/awk", "worker", "awk\0/usr/bin/tool");
	struct process same = PROCESS("/opt/tool", "tool", "x\0tool");
	struct config *config = rules_file("'tool': { 'qos': 'QOS_UTILITY' }, "
					   "'a?k': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &editor, NULL);
	assert_matches(config, &renamed, "a?k");
	/* Its own name, not a script's; but that is a name as well. */
	assert_matches(config, &same, "tool");
	config_free(config);
}

/* Whatever it calls itself, and with no need of comm. */
static void what_an_interpreter_was_handed_is_its_script(void **state)
{
	struct process by_hand = PROCESS("/usr/bin/python3.13", "python3", "python3\0-u\0./report.py");
	struct process by_env = PROCESS("/usr/bin/python3.13", "worker", "python3\0/home/me/report.py");
	struct process code = PROCESS("/usr/bin/python3.13", "python3", "python3\0-c\0report.py");
	struct config *config = rules_file("'report.py': { 'qos': 'QOS_UTILITY' }, "
					   "'python*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &by_hand, "report.py");
	assert_int_equal(by_hand.fetched, FACT_EXE | FACT_ARGV);
	assert_matches(config, &by_env, "report.py");
	assert_matches(config, &code, "python*");
	config_free(config);
}

static void a_comm_that_nothing_confirms_is_no_name(void **state)
{
	struct process process = PROCESS("/usr/bin/evil", "chrome", "evil");
	struct config *config = rules_file("'chrome': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, NULL);
	config_free(config);
}

/* exec gave it the name of what was executed: a script, a link. */
static void without_arguments_comm_takes_the_place_of_a_script(void **state)
{
	struct process script = PROCESS("/bin/sh", "build.sh", "sh\0build.sh", .unread = true);
	struct process plain = PROCESS("/bin/app", "app", "app", .unread = true);
	struct process named = PROCESS("/bin/app", "app", "other", .unread = true);
	struct config *config = rules_file("'build.sh': { 'qos': 'QOS_UTILITY' }, 'sh': { 'qos': 'QOS_UTILITY' }, "
					   "'app': { 'qos': 'QOS_UTILITY' }, 'other': { 'qos': 'QOS_UTILITY' }, "
					   "'x': { 'qos': 'QOS_UTILITY', 'match': { 'argv': '*' } }");

	(void)state;
	assert_matches(config, &script, "build.sh");
	assert_matches(config, &plain, "app");
	assert_matches(config, &named, "app");
	named.unread = false;
	assert_matches(config, &named, "other");
	config_free(config);
}

static void comm_is_read_only_where_a_script_s_name_is_of_use(void **state)
{
	struct process process = PROCESS("/usr/bin/vi", "vi", "vi\0notes.txt\0other");
	struct config *config = two_files("'chrome': { 'qos': 'QOS_UTILITY' }, "
					  "'notes.txt': { 'qos': 'QOS_UTILITY' }",
					  "'notes.txt': null");
	struct config *glob = rules_file("'*.txt': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, NULL);
	assert_int_equal(process.fetched, FACT_EXE | FACT_ARGV);
	assert_matches(glob, &process, NULL);
	assert_int_equal(process.fetched, FACT_EXE | FACT_ARGV | FACT_COMM);
	config_free(config);
	config_free(glob);
}

/* ---- by which name ---- */

static void the_name_that_matched_is_told(void **state)
{
	static const struct {
		const char *rule, *text;
		enum name_kind kind;
	} cases[] = {
		{ "/usr/bin/perl5", "/usr/bin/perl5", NAME_PATH }, { "/usr/*", "/usr/bin/perl5", NAME_PATH },
		{ "tool", "tool", NAME_SCRIPT },		   { "t*l", "tool", NAME_SCRIPT },
		{ "perl", "perl", NAME_ARGV0 },			   { "*er?", "perl", NAME_ARGV0 },
		{ "perl5", "perl5", NAME_EXE },			   { "p*5", "perl5", NAME_EXE },
	};
	struct process perl = PROCESS("/usr/bin/perl5", "tool", "-perl\0/usr/bin/tool");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct process_name *name;
		struct process_names names;
		struct config *config;
		char text[64];

		snprintf(text, sizeof(text), "'*': {}, '%s': { 'qos': 'QOS_UTILITY' }", cases[i].rule);
		config = rules_file(text);
		assert_matches(config, &perl, cases[i].rule);
		assert_int_equal(rules_names(config->rules, &perl.facts, &names), 0);
		name = process_names_match(&names, cases[i].rule);
		assert_int_equal(name->kind, cases[i].kind);
		assert_string_equal(name->text, cases[i].text);
		config_free(config);
	}
}

/* Also those that no rule has a use for. */
static void all_names_can_be_listed(void **state)
{
	struct process perl = PROCESS("/usr/bin/perl5", "tool", "perl\0/usr/bin/tool");
	struct config *config = rules_file("");
	struct process_names names;
	int error;

	(void)state;
	process_match(config, &perl, &error);
	assert_int_equal(rules_names(config->rules, &perl.facts, &names), 0);
	assert_int_equal(names.count, 4);
	for (size_t i = 0; i < names.count; i++)
		assert_int_equal(names.items[i].kind, i);
	assert_string_equal(names.items[NAME_SCRIPT].text, "tool");
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_script_s_name_may_be_behind_an_option_of_its_interpreter),
		cmocka_unit_test(a_long_script_name_is_known_by_its_first_15_bytes),
		cmocka_unit_test(an_argument_that_comm_does_not_confirm_is_no_script),
		cmocka_unit_test(what_an_interpreter_was_handed_is_its_script),
		cmocka_unit_test(a_comm_that_nothing_confirms_is_no_name),
		cmocka_unit_test(without_arguments_comm_takes_the_place_of_a_script),
		cmocka_unit_test(comm_is_read_only_where_a_script_s_name_is_of_use),
		cmocka_unit_test(the_name_that_matched_is_told),
		cmocka_unit_test(all_names_can_be_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
