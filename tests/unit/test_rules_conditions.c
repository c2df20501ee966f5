/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules, as a specification: further conditions. */
#include "fake_process.h"

#include <errno.h>

static void exe_is_a_glob_on_the_path(void **state)
{
	struct process mine = PROCESS("/opt/a/java", "java", "java");
	struct process other = PROCESS("/usr/bin/java", "java", "java");
	struct config *config = rules_file("'java': { 'qos': 'QOS_UTILITY', "
					   "'match': { 'exe': '/opt/*' } }");

	(void)state;
	assert_matches(config, &mine, "java");
	assert_matches(config, &other, NULL);
	config_free(config);
}

static void every_argv_glob_matches_some_argument(void **state)
{
	struct process both = PROCESS("/usr/bin/java", "java", "java\0-Xmx4g\0-jar\0server.jar");
	struct process one = PROCESS("/usr/bin/java", "java", "java\0-jar\0client.jar");
	struct process none = { .exe = "/usr/bin/java", .comm = "java" };
	struct config *config = rules_file("'java': { 'qos': 'QOS_UTILITY', "
					   "'match': { 'argv': [ '-jar', '*server*' ] } }");

	(void)state;
	assert_matches(config, &both, "java");
	assert_matches(config, &one, NULL);
	assert_matches(config, &none, NULL);
	config_free(config);
}

static void cgroup_is_a_glob_on_the_cgroup_s_path(void **state)
{
	struct process user = PROCESS("/bin/cc", "cc", "cc",
				      .cgroup = "/user.slice/user-1000.slice/session-2.scope");
	struct process system = PROCESS("/bin/cc", "cc", "cc", .cgroup = "/system.slice/cron");
	struct config *config = rules_file("'cc': { 'qos': 'QOS_UTILITY', "
					   "'match': { 'cgroup': '/user.slice/*' } }");

	(void)state;
	assert_matches(config, &user, "cc");
	assert_matches(config, &system, NULL);
	config_free(config);
}

static void user_is_a_name_or_a_number(void **state)
{
	struct process alice = PROCESS("/bin/cc", "cc", "cc", .uid = 1000);
	struct process seven = PROCESS("/bin/ld", "ld", "ld", .uid = 7);
	struct process other = PROCESS("/bin/cc", "cc", "cc", .uid = 1001);
	struct config *config =
		rules_file("'cc': { 'qos': 'QOS_UTILITY', 'match': { 'user': 'alice' } }, "
			   "'ld': { 'qos': 'QOS_UTILITY', 'match': { 'user': 7 } }");

	(void)state;
	assert_matches(config, &alice, "cc");
	assert_matches(config, &seven, "ld");
	assert_matches(config, &other, NULL);
	config_free(config);
}

static void an_unknown_user_matches_no_process(void **state)
{
	struct process process = PROCESS("/bin/cc", "cc", "cc", .uid = (uid_t)-1);
	const struct config_file file = RULES("{ \"cc\": { \"qos\": \"QOS_UTILITY\", "
					      "\"match\": { \"user\": \"bob\" } } }");
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	(void)state;
	assert_int_equal(parse(&file, 1, &config, &errors), 0);
	assert_matches(config, &process, NULL);
	config_errors_clear(&errors);
	config_free(config);
}

static void parent_is_a_pattern_on_the_parent_s_names(void **state)
{
	struct process make = PROCESS("/usr/bin/gmake", "make", "make\0-j2");
	struct process script = PROCESS("/bin/sh", "build.sh", "sh\0./build.sh");
	struct process shell = PROCESS("/bin/sh", "sh", "sh");
	struct process cc = PROCESS("/bin/cc", "cc", "cc"), ld = PROCESS("/bin/ld", "ld", "ld");
	struct process as = PROCESS("/bin/as", "as", "as");
	struct config *config =
		rules_file("'cc': { 'qos': 'QOS_UTILITY', 'match': { 'parent': 'make' } }, "
			   "'as': { 'qos': 'QOS_UTILITY', 'match': { 'parent': '/usr/bin/g*' } }, "
			   "'ld': { 'qos': 'QOS_UTILITY', 'match': { 'parent': 'build.*' } }");

	(void)state;
	cc.parent = as.parent = &make;
	ld.parent = &script;
	assert_matches(config, &cc, "cc");
	assert_matches(config, &as, "as");
	assert_matches(config, &ld, "ld");
	cc.parent = as.parent = ld.parent = &shell;
	assert_matches(config, &cc, NULL);
	assert_matches(config, &as, NULL);
	assert_matches(config, &ld, NULL);
	cc.parent = NULL;
	assert_matches(config, &cc, NULL);
	config_free(config);
}

/* In one of his own anybody can mount what he likes over any path. */
static void a_path_counts_in_the_initial_user_namespace_only(void **state)
{
	static const char *const patterns[] = { "/bin/ls", "/bin/l*", "*/ls", "ls" };
	struct process ls = PROCESS("/bin/ls", "ls", "ls");

	(void)state;
	for (size_t i = 0; i < COUNT(patterns); i++) {
		struct config *config;
		char rules[64];

		snprintf(rules, sizeof(rules), "'%s': { 'qos': 'QOS_UTILITY' }", patterns[i]);
		config = rules_file(rules);
		ls.sandboxed = false;
		assert_matches(config, &ls, patterns[i]);
		ls.sandboxed = true;
		assert_matches(config, &ls, strchr(patterns[i], '/') ? NULL : patterns[i]);
		config_free(config);
	}
}

static void exe_counts_in_the_initial_user_namespace_only(void **state)
{
	struct process ls = PROCESS("/bin/ls", "ls", "ls");
	struct config *config =
		rules_file("'ls': [ { 'qos': 'QOS_UTILITY', 'match': { 'exe': '/bin/*' } }, "
			   "{ 'qos': 'QOS_BACKGROUND' } ]");

	(void)state;
	assert_string_equal(assert_matches(config, &ls, "ls")->qos, "QOS_UTILITY");
	ls.sandboxed = true;
	assert_string_equal(assert_matches(config, &ls, "ls")->qos, "QOS_BACKGROUND");
	config_free(config);
}

static void a_parent_s_path_counts_in_the_initial_user_namespace_only(void **state)
{
	struct process make = PROCESS("/bin/make", "make", "make");
	struct process cc = PROCESS("/bin/cc", "cc", "cc", .parent = &make);
	struct process ld = PROCESS("/bin/ld", "ld", "ld", .parent = &make);
	struct process as = PROCESS("/bin/as", "as", "as", .parent = &make);
	struct config *config =
		rules_file("'cc': { 'qos': 'QOS_UTILITY', 'match': { 'parent': '/bin/make' } }, "
			   "'ld': { 'qos': 'QOS_UTILITY', 'match': { 'parent': 'make' } }, "
			   "'as': { 'qos': 'QOS_UTILITY', 'match': { 'parent': '*/make', "
			   "'user_namespace': 'any' } }");

	(void)state;
	cc.sandboxed = ld.sandboxed = as.sandboxed = true;
	assert_matches(config, &cc, "cc");
	make.sandboxed = true;
	assert_matches(config, &cc, NULL);
	assert_matches(config, &ld, "ld");
	assert_matches(config, &as, "as");
	config_free(config);
}

static void a_rule_says_which_user_namespaces_it_means(void **state)
{
	struct process app = PROCESS("/app/bin/gimp", "gimp", "gimp", .sandboxed = true);
	struct process vi = PROCESS("/bin/vi", "vi", "vi", .sandboxed = true);
	struct config *config = rules_file(
		"'/app/*': { 'qos': 'QOS_UTILITY', 'match': { 'exe': '*/gimp', "
		"'user_namespace': 'any' } }, "
		"'vi': { 'qos': 'QOS_UTILITY', 'match': { 'user_namespace': 'initial' } }");

	(void)state;
	assert_matches(config, &app, "/app/*");
	assert_int_equal(app.fetched & FACT_USERNS, 0);
	assert_matches(config, &vi, NULL);
	app.sandboxed = vi.sandboxed = false;
	assert_matches(config, &app, "/app/*");
	assert_matches(config, &vi, "vi");
	config_free(config);
}

/* Nobody else pays for it. */
static void the_user_namespace_is_asked_for_last(void **state)
{
	struct process ls = PROCESS("/bin/ls", "ls", "ls");
	struct config *config =
		rules_file("'/bin/ls': { 'qos': 'QOS_UTILITY', 'match': { 'user': 7 } }, "
			   "'ls': { 'qos': 'QOS_UTILITY', 'match': { 'exe': '/opt/*' } }, "
			   "'/opt/*': { 'qos': 'QOS_UTILITY' }, 'l*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &ls, "l*");
	assert_int_equal(ls.fetched, FACT_EXE | FACT_ARGV | FACT_UID);
	ls.uid = 7;
	assert_matches(config, &ls, "/bin/ls");
	assert_int_equal(ls.fetched, FACT_EXE | FACT_ARGV | FACT_UID | FACT_USERNS);
	config_free(config);
}

static void all_conditions_have_to_hold(void **state)
{
	struct process cc = PROCESS("/opt/cc", "cc", "cc\0-O2", .uid = 7, .cgroup = "/a");
	struct config *config = rules_file(
		"'cc': { 'qos': 'QOS_UTILITY', 'match': { 'exe': '/opt/*', 'argv': [ '-O?' ], "
		"'user': 7, 'cgroup': '/?' } }");

	(void)state;
	assert_matches(config, &cc, "cc");
	cc.exe = "/usr/cc";
	assert_matches(config, &cc, NULL);
	cc.exe = "/opt/cc";
	cc.argv = "cc\0-g0";
	assert_matches(config, &cc, NULL);
	cc.argv = "cc\0-O2";
	cc.uid = 8;
	assert_matches(config, &cc, NULL);
	cc.uid = 7;
	cc.cgroup = "/aa";
	assert_matches(config, &cc, NULL);
	config_free(config);
}

static void the_first_rule_of_a_list_that_matches_is_taken(void **state)
{
	struct process process = PROCESS("/opt/java", "java", "java", .uid = 1);
	struct config *config =
		rules_file("'java': [ { 'qos': 'QOS_UTILITY', 'match': { 'user': 7 } }, "
			   "{ 'qos': 'QOS_BACKGROUND', 'match': { 'exe': '/opt/*' } }, "
			   "{ 'qos': 'QOS_USER_INITIATED' } ]");

	(void)state;
	assert_string_equal(assert_matches(config, &process, "java")->qos, "QOS_BACKGROUND");
	process.uid = 7;
	assert_string_equal(assert_matches(config, &process, "java")->qos, "QOS_UTILITY");
	process.uid = 1;
	process.exe = "/bin/java";
	assert_string_equal(assert_matches(config, &process, "java")->qos, "QOS_USER_INITIATED");
	config_free(config);
}

static void a_rule_whose_conditions_fail_leaves_the_next_best_pattern(void **state)
{
	struct process process = PROCESS("/bin/java", "java", "java", .uid = 1);
	struct config *config =
		rules_file("'java': { 'qos': 'QOS_UTILITY', 'match': { 'user': 7 } }, "
			   "'jav*': { 'qos': 'QOS_UTILITY', 'match': { 'user': 8 } }, "
			   "'/bin/j*': { 'qos': 'QOS_UTILITY', 'match': { 'user': 9 } }, "
			   "'ja*': { 'qos': 'QOS_UTILITY', 'match': { 'user': 10 } }, "
			   "'j*': { 'qos': 'QOS_UTILITY' }");
	static const char *const taken[] = { "java", "jav*", "/bin/j*", "ja*", "j*" };

	(void)state;
	for (uid_t i = 0; i < COUNT(taken); i++) {
		process.uid = 7 + i;
		assert_matches(config, &process, taken[i]);
	}
	config_free(config);
}

static void costly_facts_are_asked_for_only_when_a_pattern_matched(void **state)
{
	struct process vi = PROCESS("/bin/vi", "vi", "vi");
	struct process java = PROCESS("/bin/java", "java", "java");
	struct config *config = rules_file("'java': { 'qos': 'QOS_UTILITY', 'match': { "
					   "'user': 0, 'cgroup': '/x*', 'parent': 'p' } }");

	(void)state;
	assert_matches(config, &vi, NULL);
	assert_int_equal(vi.fetched, FACT_EXE | FACT_ARGV);
	/* Conditions are asked one after another: the first that fails saves the others. */
	assert_matches(config, &java, NULL);
	assert_int_equal(java.fetched, FACT_EXE | FACT_ARGV | FACT_UID | FACT_CGROUP);
	config_free(config);
}

static void a_fact_that_cannot_be_had_is_an_error(void **state)
{
	static const enum fact facts[] = { FACT_EXE, FACT_ARGV,	  FACT_COMM,  FACT_CGROUP,
					   FACT_UID, FACT_PARENT, FACT_USERNS };
	struct process parent = PROCESS("/bin/p", "p", "p");
	struct process process =
		PROCESS("/bin/awk", "tool", "awk\0tool", .cgroup = "/x", .parent = &parent);
	struct config *config = rules_file("'tool': { 'qos': 'QOS_UTILITY', 'match': { 'exe': '*', "
					   "'user': 0, 'cgroup': '/x*', 'parent': 'p' } }");
	int error;

	(void)state;
	process.error = -ESRCH;
	for (size_t i = 0; i < COUNT(facts); i++) {
		process.missing = facts[i];
		assert_null(process_match(config, &process, &error));
		assert_int_equal(error, -ESRCH);
	}
	config_free(config);
}

static void a_missing_fact_is_no_error_if_another_rule_takes_the_process(void **state)
{
	struct process process = PROCESS("/bin/java", "java", "java");
	struct config *config =
		rules_file("'java': { 'qos': 'QOS_UTILITY', 'match': { 'cgroup': '/x*' } }, "
			   "'j*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	process.missing = FACT_CGROUP;
	process.error = -EACCES;
	assert_matches(config, &process, "j*");
	config_free(config);
}

static void a_parent_that_is_gone_is_no_parent(void **state)
{
	struct process parent = { .missing = FACT_EXE, .error = -ESRCH };
	struct process cc = PROCESS("/bin/cc", "cc", "cc", .parent = &parent);
	struct config *config =
		rules_file("'cc': { 'qos': 'QOS_UTILITY', 'match': { 'parent': 'p' } }");
	int error;

	(void)state;
	assert_matches(config, &cc, NULL);
	parent.error = -EACCES;
	assert_null(process_match(config, &cc, &error));
	assert_int_equal(error, -EACCES);
	config_free(config);
}

static void without_fetch_only_what_is_there_can_be_had(void **state)
{
	struct config *config = rules_file("'vi': { 'qos': 'QOS_UTILITY' }");
	struct facts facts = { .have = FACT_EXE, .exe = "/bin/vi" };
	int error;

	(void)state;
	assert_null(rules_match(config->rules, &facts, &error));
	assert_int_equal(error, -ENODATA);
	facts.have |= FACT_ARGV;
	assert_non_null(rules_match(config->rules, &facts, &error));
	assert_int_equal(error, 0);
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exe_is_a_glob_on_the_path),
		cmocka_unit_test(every_argv_glob_matches_some_argument),
		cmocka_unit_test(cgroup_is_a_glob_on_the_cgroup_s_path),
		cmocka_unit_test(user_is_a_name_or_a_number),
		cmocka_unit_test(an_unknown_user_matches_no_process),
		cmocka_unit_test(parent_is_a_pattern_on_the_parent_s_names),
		cmocka_unit_test(a_path_counts_in_the_initial_user_namespace_only),
		cmocka_unit_test(exe_counts_in_the_initial_user_namespace_only),
		cmocka_unit_test(a_parent_s_path_counts_in_the_initial_user_namespace_only),
		cmocka_unit_test(a_rule_says_which_user_namespaces_it_means),
		cmocka_unit_test(the_user_namespace_is_asked_for_last),
		cmocka_unit_test(all_conditions_have_to_hold),
		cmocka_unit_test(the_first_rule_of_a_list_that_matches_is_taken),
		cmocka_unit_test(a_rule_whose_conditions_fail_leaves_the_next_best_pattern),
		cmocka_unit_test(costly_facts_are_asked_for_only_when_a_pattern_matched),
		cmocka_unit_test(a_fact_that_cannot_be_had_is_an_error),
		cmocka_unit_test(a_missing_fact_is_no_error_if_another_rule_takes_the_process),
		cmocka_unit_test(a_parent_that_is_gone_is_no_parent),
		cmocka_unit_test(without_fetch_only_what_is_there_can_be_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
