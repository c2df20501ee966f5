/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules, as a specification: which one a process takes by its names, and a thread by its own. */
#include "fake_process.h"

#include <errno.h>

/* ---- which pattern wins ---- */

static void an_exact_match_beats_a_glob(void **state)
{
	struct config *config = two_files("'chrome': { 'qos': 'QOS_UTILITY' }",
					  "'chrom*': { 'qos': 'QOS_UTILITY' }, "
					  "'*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(matched_by_path(config, "/usr/bin/chrome"), "chrome");
	assert_string_equal(matched_by_path(config, "/usr/bin/chromium"), "chrom*");
	assert_string_equal(matched_by_path(config, "/usr/bin/vi"), "*");
	config_free(config);
}

static void the_glob_with_the_longest_literal_text_wins(void **state)
{
	struct config *config = two_files("'*-server': { 'qos': 'QOS_UTILITY' }, "
					  "'a[bcdefgh]*': { 'qos': 'QOS_UTILITY' }",
					  "'x*': { 'qos': 'QOS_UTILITY' }, "
					  "'xy*': { 'qos': 'QOS_UTILITY' }, "
					  "'*.exe': { 'qos': 'QOS_UTILITY' }, "
					  "'ab?': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(matched_by_path(config, "/usr/bin/xyz"), "xy*");
	assert_string_equal(matched_by_path(config, "/usr/bin/xz"), "x*");
	assert_string_equal(matched_by_path(config, "/usr/bin/xy-server"), "*-server");
	assert_string_equal(matched_by_path(config, "/usr/bin/xy.exe"), "*.exe");
	assert_string_equal(matched_by_path(config, "/usr/bin/abc"), "ab?");
	config_free(config);
}

static void of_equal_globs_the_later_file_wins(void **state)
{
	struct config *config =
		two_files("'ab*': { 'qos': 'QOS_UTILITY' }", "'*bc': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(matched_by_path(config, "/usr/bin/abc"), "*bc");
	config_free(config);
}

static void of_equal_globs_in_a_file_the_earlier_line_wins(void **state)
{
	struct config *config = rules_file("'a?c': { 'qos': 'QOS_UTILITY' }, \n"
					   "'*bc': { 'qos': 'QOS_UTILITY' }, \n"
					   "'ab*': { 'qos': 'QOS_UTILITY' }, '?bc': { 'qos': "
					   "'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(matched_by_path(config, "/usr/bin/abc"), "a?c");
	assert_string_equal(matched_by_path(config, "/usr/bin/abbc"), "*bc");
	assert_string_equal(matched_by_path(config, "/usr/bin/abb"), "ab*");
	config_free(config);
}

static void a_later_file_replaces_the_rule_of_a_pattern(void **state)
{
	struct process process = PROCESS("/usr/bin/vi", "vi", "vi");
	struct config *config = two_files("'vi': { 'qos': 'QOS_UTILITY', 'inherit': true }",
					  "'vi': { 'qos': 'QOS_BACKGROUND' }");

	(void)state;
	assert_string_equal(assert_matches(config, &process, "vi")->qos, "QOS_BACKGROUND");
	assert_int_equal(rules_count(config->rules), 1);
	config_free(config);
}

static void null_masks_an_earlier_file_s_rule(void **state)
{
	struct config *config = two_files("'chrome': { 'qos': 'QOS_UTILITY' }, "
					  "'chr*': { 'qos': 'QOS_UTILITY' }, "
					  "'v*': { 'qos': 'QOS_UTILITY' }",
					  "'chrome': null, 'v*': null");

	(void)state;
	assert_string_equal(matched_by_path(config, "/usr/bin/chrome"), "chr*");
	assert_string_equal(matched_by_path(config, "/usr/bin/vi"), "none");
	assert_int_equal(rules_count(config->rules), 1);
	assert_null(rules_of_pattern(config->rules, "chrome"));
	assert_string_equal(rules_of_pattern(config->rules, "chr*")->pattern, "chr*");
	config_free(config);
}

static void no_rules_match_nothing(void **state)
{
	struct config *config = rules_file("");

	(void)state;
	assert_string_equal(matched_by_path(config, "/usr/bin/vi"), "none");
	assert_int_equal(rules_count(config->rules), 0);
	assert_null(rules_nth(config->rules, 0));
	assert_null(rules_of_pattern(config->rules, "a"));
	assert_null(rules_by_id(config->rules, 0));
	assert_null(rules_by_id(config->rules, 1));
	rules_free(NULL);
	config_free(config);
}

/* ---- what a pattern is compared with ---- */

static void a_pattern_with_a_slash_is_a_path(void **state)
{
	struct config *config = rules_file("'/opt/app/run': { 'qos': 'QOS_UTILITY' }, "
					   "'/opt/*/tool-*': { 'qos': 'QOS_UTILITY' }, "
					   "'*/bin/game': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(matched_by_path(config, "/opt/app/run"), "/opt/app/run");
	assert_string_equal(matched_by_path(config, "/opt/app/bin/run"), "none");
	assert_string_equal(matched_by_path(config, "/opt/a/b/tool-x"), "/opt/*/tool-*");
	assert_string_equal(matched_by_path(config, "/home/me/bin/game"), "*/bin/game");
	config_free(config);
}

static void a_path_is_not_compared_with_arguments(void **state)
{
	struct process liar = PROCESS("/usr/bin/evil", "evil", "/opt/app/run");
	struct config *config = rules_file("'/opt/app/run': { 'qos': 'QOS_UTILITY' }, "
					   "'/opt/app*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &liar, NULL);
	config_free(config);
}

static void a_name_is_not_compared_with_the_path(void **state)
{
	struct config *config = rules_file("'*opt*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(matched_by_path(config, "/opt/app/run"), "none");
	config_free(config);
}

static void a_path_beats_a_name(void **state)
{
	struct config *config = rules_file("'run': { 'qos': 'QOS_UTILITY' }, "
					   "'/opt/run': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(matched_by_path(config, "/opt/run"), "/opt/run");
	assert_string_equal(matched_by_path(config, "/bin/run"), "run");
	config_free(config);
}

static void names_are_compared_in_the_order_script_argv0_exe(void **state)
{
	struct process process = PROCESS("/usr/bin/python3.13", "tool", "python3\0/usr/bin/tool");
	struct config *all = rules_file("'python3.13': { 'qos': 'QOS_UTILITY' }, "
					"'python3': { 'qos': 'QOS_UTILITY' }, "
					"'tool': { 'qos': 'QOS_UTILITY' }");
	struct config *two = rules_file("'python3.13': { 'qos': 'QOS_UTILITY' }, "
					"'python3': { 'qos': 'QOS_UTILITY' }");
	struct config *one = rules_file("'python3.13': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(all, &process, "tool");
	assert_matches(two, &process, "python3");
	assert_matches(one, &process, "python3.13");
	config_free(all);
	config_free(two);
	config_free(one);
}

static void argv0_ends_at_a_slash_or_a_backslash(void **state)
{
	struct process wine =
		PROCESS("/usr/bin/wine64-preloader", "game.exe", "C:\\Games\\The Game\\game.exe");
	struct process mixed = PROCESS("/usr/bin/wine", "x", "/home/me\\x/y\\z.exe");
	struct process plain = PROCESS("/usr/bin/busybox", "ls", "/bin/ls\0-l");
	struct config *config = rules_file("'game.exe': { 'qos': 'QOS_UTILITY' }, "
					   "'z.exe': { 'qos': 'QOS_UTILITY' }, "
					   "'ls': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &wine, "game.exe");
	assert_matches(config, &mixed, "z.exe");
	assert_matches(config, &plain, "ls");
	config_free(config);
}

static void a_login_shell_s_dash_is_no_part_of_its_name(void **state)
{
	struct process bash = PROCESS("/usr/bin/bash", "bash", "-bash");
	struct process busybox = PROCESS("/usr/bin/busybox", "sh", "-sh");
	struct process wine = PROCESS("/usr/bin/wine", "-X-.exe", "Z:\\games\\-X-.exe");
	struct config *config = rules_file("'bash': { 'qos': 'QOS_UTILITY' }, '-X-.exe': { 'qos': 'QOS_UTILITY' }, "
					   "'sh': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &wine, "-X-.exe");
	assert_matches(config, &bash, "bash");
	assert_matches(config, &busybox, "sh");
	config_free(config);
}

static void a_process_without_arguments_has_its_executable_s_name(void **state)
{
	struct process process = { .exe = "/usr/bin/vi", .comm = "vi" };
	struct config *config = rules_file("'vi': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, "vi");
	process.argv = "";
	process.argv_size = 1;
	assert_matches(config, &process, "vi");
	config_free(config);
}

static void a_process_without_anything_matches_nothing_but_all(void **state)
{
	struct process process = { .exe = "", .comm = "" };
	struct config *config = rules_file("'vi': { 'qos': 'QOS_UTILITY' }, "
					   "'?*': { 'qos': 'QOS_UTILITY' }");
	struct config *all = rules_file("'*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, NULL);
	assert_matches(all, &process, "*");
	config_free(config);
	config_free(all);
}

/* ---- thread names ---- */

static const char *thread_class(const struct config *config, const char *comm)
{
	const struct thread_rule *thread = rule_thread(rules_nth(config->rules, 0), comm);

	return thread ? thread->qos : "none";
}

static void an_exact_thread_name_beats_a_glob(void **state)
{
	struct config *config =
		rules_file("'x': { 'thread_qos': { '*': 'QOS_DEFAULT', 'pool-*': 'QOS_UTILITY', "
			   "'pool-1': 'QOS_BACKGROUND', 'a': 'QOS_USER_INITIATED', "
			   "'z z': 'QOS_USER_INTERACTIVE' } }");

	(void)state;
	assert_string_equal(thread_class(config, "pool-1"), "QOS_BACKGROUND");
	assert_string_equal(thread_class(config, "pool-2"), "QOS_UTILITY");
	assert_string_equal(thread_class(config, "a"), "QOS_USER_INITIATED");
	assert_string_equal(thread_class(config, "z z"), "QOS_USER_INTERACTIVE");
	assert_string_equal(thread_class(config, "b"), "QOS_DEFAULT");
	assert_string_equal(thread_class(config, ""), "QOS_DEFAULT");
	config_free(config);
}

static void of_thread_globs_the_longer_then_the_earlier_wins(void **state)
{
	struct config *config = rules_file("'x': { 'thread_qos': {\n"
					   "'a*': 'QOS_BACKGROUND',\n"
					   "'ab*': 'QOS_UTILITY',\n"
					   "'*yz': 'QOS_USER_INITIATED',\n"
					   "'?b*': 'QOS_DEFAULT' } }");

	(void)state;
	assert_string_equal(thread_class(config, "abyz"), "QOS_UTILITY");
	assert_string_equal(thread_class(config, "xyz"), "QOS_USER_INITIATED");
	assert_string_equal(thread_class(config, "ayy"), "QOS_BACKGROUND");
	assert_string_equal(thread_class(config, "xb"), "QOS_DEFAULT");
	assert_string_equal(thread_class(config, "none"), "none");
	config_free(config);
}

static void a_rule_without_thread_rules_has_none(void **state)
{
	struct config *config = rules_file("'x': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_string_equal(thread_class(config, "x"), "none");
	config_free(config);
}

/* ---- tags ---- */

static void a_tag_is_a_class_at_a_period(void **state)
{
	struct config *config = rules_file(
		"'a': { 'qos': 'QOS_UTILITY' }, 'b': { 'qos': 'QOS_UTILITY' }, "
		"'c': { 'qos': 'QOS_UTILITY', 'period': 8000000 }, "
		"'d': { 'qos': 'QOS_DEFAULT' }, 'e': { 'thread_qos': { 't': 'QOS_UTILITY' } }");
	const struct rule *a = rule_for(config, "a"), *c = rule_for(config, "c");
	const struct tag *tags;
	size_t count;

	(void)state;
	tags = rules_tags(config->rules, &count);
	assert_int_equal(rules_n_assigned(config->rules), 3);
	/* And one for each class that no rule names. */
	assert_int_equal(count, 3 + QOS_BUILTIN_COUNT - 2);
	assert_int_equal(a->tag, rule_for(config, "b")->tag);
	assert_int_not_equal(a->tag, c->tag);
	assert_int_equal(rule_for(config, "d")->tag, TAG_DEFAULT);
	assert_int_equal(rule_for(config, "e")->tag, TAG_DEFAULT);
	assert_int_equal(rule_for(config, "e")->threads[0].tag, a->tag);
	assert_int_equal(tags[a->tag].attr.runtime, 16000000);
	assert_int_equal(tags[c->tag].attr.runtime, 8000000);
	assert_ptr_equal(rules_by_id(config->rules, c->id), c);
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_match_beats_a_glob),
		cmocka_unit_test(the_glob_with_the_longest_literal_text_wins),
		cmocka_unit_test(of_equal_globs_the_later_file_wins),
		cmocka_unit_test(of_equal_globs_in_a_file_the_earlier_line_wins),
		cmocka_unit_test(a_later_file_replaces_the_rule_of_a_pattern),
		cmocka_unit_test(null_masks_an_earlier_file_s_rule),
		cmocka_unit_test(no_rules_match_nothing),
		cmocka_unit_test(a_pattern_with_a_slash_is_a_path),
		cmocka_unit_test(a_path_is_not_compared_with_arguments),
		cmocka_unit_test(a_name_is_not_compared_with_the_path),
		cmocka_unit_test(a_path_beats_a_name),
		cmocka_unit_test(names_are_compared_in_the_order_script_argv0_exe),
		cmocka_unit_test(argv0_ends_at_a_slash_or_a_backslash),
		cmocka_unit_test(a_login_shell_s_dash_is_no_part_of_its_name),
		cmocka_unit_test(a_process_without_arguments_has_its_executable_s_name),
		cmocka_unit_test(a_process_without_anything_matches_nothing_but_all),
		cmocka_unit_test(an_exact_thread_name_beats_a_glob),
		cmocka_unit_test(of_thread_globs_the_longer_then_the_earlier_wins),
		cmocka_unit_test(a_rule_without_thread_rules_has_none),
		cmocka_unit_test(a_tag_is_a_class_at_a_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
