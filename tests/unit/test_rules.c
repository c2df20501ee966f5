/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules, as a specification: which one a process takes, by its names and by further conditions. */
#include "config_case.h"

#include <errno.h>

#include <schedqos/policy/rules.h>

/* A process, and how often its costly facts were asked for. */
struct process {
	struct facts facts; /* first: fetch finds the rest by it */
	const char *exe, *argv, *comm, *cgroup;
	size_t argv_size;
	uid_t uid;
	struct process *parent;
	unsigned missing; /* enum fact: what cannot be had */
	int error;	  /* ... and why */
	unsigned fetched;
};

static int fetch(struct facts *facts, enum fact fact)
{
	struct process *process = (struct process *)facts;

	process->fetched |= fact;
	if (process->missing & fact)
		return process->error;
	switch (fact) {
	case FACT_COMM:
		snprintf(facts->comm, sizeof(facts->comm), "%s", process->comm);
		break;
	case FACT_EXE:
		facts->exe = process->exe;
		break;
	case FACT_ARGV:
		facts->argv = process->argv;
		facts->argv_size = process->argv_size;
		break;
	case FACT_CGROUP:
		facts->cgroup = process->cgroup ? process->cgroup : "";
		break;
	case FACT_UID:
		facts->uid = process->uid;
		break;
	case FACT_PARENT:
		if (process->parent) {
			process->parent->facts = (struct facts){ .fetch = fetch };
			facts->parent = &process->parent->facts;
		}
		break;
	case FACT_ATTR:
	case FACT_BASE:
	case FACT_AGAIN:
		fail_msg("rules have no use for attributes");
	}
	facts->have |= fact;
	return 0;
}

/* arguments: separated by NULs. */
#define PROCESS(path, name, arguments, ...)                         \
	{                                                           \
		.exe = (path), .comm = (name), .argv = (arguments), \
		.argv_size = sizeof(arguments), __VA_ARGS__         \
	}

#define TEXT_MAX 2048

static const char *json(const char *text, char buf[TEXT_MAX])
{
	assert_in_range(snprintf(buf, TEXT_MAX, "{ %s }", text), 0, TEXT_MAX - 1);
	for (char *p = buf; (p = strchr(p, '\''));)
		*p = '"';
	return buf;
}

/* The inside of a rules file, with ' for ". */
static struct config *rules_file(const char *text)
{
	char buf[TEXT_MAX];

	return GOOD(RULES(json(text, buf)));
}

static struct config *two_files(const char *text, const char *later)
{
	char buf[TEXT_MAX], later_buf[TEXT_MAX];

	return GOOD(RULES(json(text, buf)), RULES(json(later, later_buf)));
}

static const struct rule *match(const struct config *config, struct process *process, int *error)
{
	process->facts = (struct facts){ .fetch = fetch };
	process->fetched = 0;
	return rules_match(config->rules, &process->facts, error);
}

/* The process takes the pattern's rule; NULL: none. */
#define assert_matches(config, process, pattern) \
	check_matches(config, process, pattern, __FILE__, __LINE__)
static const struct rule *check_matches(const struct config *config, struct process *process,
					const char *pattern, const char *file, int line)
{
	int error;
	const struct rule *rule = match(config, process, &error);

	_assert_int_equal(error, 0, file, line);
	_assert_string_equal(rule ? rule->pattern : "none", pattern ? pattern : "none", file, line);
	return rule;
}

/* A process started in the plain way, by its path. */
static const char *matched_by_path(const struct config *config, const char *path)
{
	const char *base = strrchr(path, '/');
	struct process process = { .exe = path, .comm = base ? base + 1 : path, .argv = path };
	const struct rule *rule;
	int error;

	process.argv_size = strlen(path) + 1;
	rule = match(config, &process, &error);
	assert_int_equal(error, 0);
	return rule ? rule->pattern : "none";
}

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
	config_free(config);
}

static void no_rules_match_nothing(void **state)
{
	struct config *config = rules_file("");

	(void)state;
	assert_string_equal(matched_by_path(config, "/usr/bin/vi"), "none");
	assert_int_equal(rules_count(config->rules), 0);
	assert_null(rules_nth(config->rules, 0));
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
	struct config *config = rules_file("'bash': { 'qos': 'QOS_UTILITY' }, "
					   "'sh': { 'qos': 'QOS_UTILITY' }");

	(void)state;
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

/* ---- scripts ---- */

static void a_script_s_name_may_be_behind_an_option_of_its_interpreter(void **state)
{
	struct process process = PROCESS("/usr/bin/perl", "tool", "perl\0-w\0/usr/bin/tool\0x");
	struct process far = PROCESS("/usr/bin/perl", "tool", "perl\0-w\0-T\0/usr/bin/tool");
	struct config *config = rules_file("'tool': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, "tool");
	assert_matches(config, &far, NULL);
	config_free(config);
}

static void a_long_script_name_is_known_by_its_first_15_bytes(void **state)
{
	struct process process = PROCESS("/usr/bin/python3", "a-very-long-scr",
					 "python3\0/usr/bin/a-very-long-script-name");
	struct config *config = rules_file("'a-very-long-script-name': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &process, "a-very-long-script-name");
	config_free(config);
}

static void an_argument_that_comm_does_not_confirm_is_no_script(void **state)
{
	struct process editor = PROCESS("/usr/bin/vi", "vi", "vi\0/usr/bin/tool");
	struct process renamed = PROCESS("/usr/bin/python3", "worker", "python3\0/usr/bin/tool");
	struct process same = PROCESS("/opt/tool", "tool", "x\0tool");
	struct config *config = rules_file("'tool': { 'qos': 'QOS_UTILITY' }, "
					   "'python*': { 'qos': 'QOS_UTILITY' }");

	(void)state;
	assert_matches(config, &editor, NULL);
	assert_matches(config, &renamed, "python*");
	/* Its own name, not a script's; but that is a name as well. */
	assert_matches(config, &same, "tool");
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

/* ---- further conditions ---- */

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

static void an_unknown_user_is_nobody(void **state)
{
	struct process process = PROCESS("/bin/cc", "cc", "cc", .uid = (uid_t)-1);
	char text[TEXT_MAX];
	const struct config_file file =
		RULES(json("'cc': { 'qos': 'QOS_UTILITY', 'match': { 'user': 'bob' } }", text));
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
	static const enum fact facts[] = { FACT_EXE,	FACT_ARGV, FACT_COMM,
					   FACT_CGROUP, FACT_UID,  FACT_PARENT };
	struct process process = PROCESS("/bin/python", "tool", "python\0tool", .cgroup = "/x");
	struct config *config = rules_file("'tool': { 'qos': 'QOS_UTILITY', 'match': { "
					   "'user': 0, 'cgroup': '/x*', 'parent': 'p' } }");
	int error;

	(void)state;
	process.error = -ESRCH;
	for (size_t i = 0; i < COUNT(facts); i++) {
		process.missing = facts[i];
		assert_null(match(config, &process, &error));
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
	assert_null(match(config, &cc, &error));
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
	assert_int_equal(count, 3);
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

/* ---- odd patterns ---- */

static void odd_patterns_mean_what_the_shell_means_by_them(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "[", "[", true },	    { "[", "x", false },
		{ "[*", "[x", true },	    { "[!a]*", "bash", true },
		{ "[!a]*", "awk", false },  { "[^a]*", "awk", false },
		{ "[]]x", "]x", true },	    { "[a-c]x", "bx", true },
		{ "[a-c]x", "dx", false },  { "[[:digit:]]x", "7x", true },
		{ "\\*", "*", true },	    { "\\*", "x", false },
		{ "a\\*b*", "a*bc", true }, { "a\\*b*", "axbc", false },
		{ "\\?", "?", true },	    { "*\\", "x\\", false },
		{ "a\\b", "a\\b", true },   { "a\\b", "ab", false },
		{ "*", "", true },	    { "**", "x", true },
		{ "***b", "aab", true },    { "a*a", "a", false },
		{ "a*a", "aa", true },	    { "ab*ba", "aba", false },
		{ "?", "\xc3", true },	    { "*.service", ".service", true },
		{ ".*", ".hidden", true },  { "a?c*", "abc", true },
		{ "*a?", "xab", true },	    { "*[ab]", "xb", true },
		{ "x*[*]y", "xz*y", true }, { "x*[*]y", "xzzy", false },
		{ "[x]", "[x]", false },    { "a*b", "a*b", true },
		{ "*-[0-9]", "w-7", true }, { "a*b*c", "aXbYc", true },
		{ "a*b*c", "aXc", false },  { "?*?", "a", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rule rule = { .pattern = cases[i].pattern };
		struct facts facts = { .have = FACT_EXE | FACT_ARGV, .exe = cases[i].name };
		struct rules *rules = rules_new();
		int error;

		if (pattern_match(cases[i].pattern, cases[i].name) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].name);
		/* In a name, a backslash is where its base begins. */
		if (strchr(cases[i].name, '\\')) {
			rules_free(rules);
			continue;
		}
		assert_int_equal(rules_put(rules, rule.pattern, &rule), 0);
		assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT), 0);
		assert_ptr_equal(rules_match(rules, &facts, &error),
				 cases[i].matches ? &rule : NULL);
		rules_free(rules);
	}
}

static void a_bracket_counts_nothing_towards_the_rank(void **state)
{
	(void)state;
	assert_int_equal(pattern_literal("chrome"), 6);
	assert_int_equal(pattern_literal("a*b?c"), 3);
	assert_int_equal(pattern_literal("[abc]x"), 1);
	assert_int_equal(pattern_literal("[]a]x"), 1);
	assert_int_equal(pattern_literal("[!]a]x"), 1);
	assert_int_equal(pattern_literal("[^a]x"), 1);
	assert_int_equal(pattern_literal("[abc"), 4);
	assert_int_equal(pattern_literal("\\*x"), 1 + 0);
	assert_int_equal(pattern_literal("\\ax"), 2);
	assert_int_equal(pattern_literal(""), 0);
	assert_true(pattern_is_glob("a?"));
	assert_false(pattern_is_glob("a\\b"));
}

static void very_long_patterns_match_long_names_only(void **state)
{
	enum { LONG = 65537 };
	struct rule star = { 0 }, literal = { 0 };
	struct facts facts = { .have = FACT_EXE | FACT_ARGV, .exe = "ax" };
	struct rules *rules = rules_new();
	char *text = malloc(LONG + 2), *name = malloc(LONG + 1);
	int error;

	(void)state;
	memset(text, 'x', LONG + 1);
	text[0] = '*';
	text[LONG + 1] = '\0';
	memset(name, 'x', LONG);
	name[LONG] = '\0';
	star.pattern = text;
	literal.pattern = text + 1;
	assert_int_equal(rules_put(rules, star.pattern, &star), 0);
	assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT), 0);
	assert_null(rules_match(rules, &facts, &error));
	facts.exe = name;
	assert_ptr_equal(rules_match(rules, &facts, &error), &star);
	rules_free(rules);

	rules = rules_new();
	assert_int_equal(rules_put(rules, literal.pattern, &literal), 0);
	assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT), 0);
	assert_ptr_equal(rules_match(rules, &facts, &error), &literal);
	rules_free(rules);
	free(text);
	free(name);
}

static void a_very_long_prefix_matches_as_well(void **state)
{
	enum { LONG = 65536 + 3 };
	struct rule rule = { 0 };
	struct facts facts = { .have = FACT_EXE | FACT_ARGV, .exe = "xxxx" };
	struct rules *rules = rules_new();
	char *text = malloc(LONG + 2);
	int error;

	(void)state;
	memset(text, 'x', LONG);
	strcpy(text + LONG, "*");
	rule.pattern = text;
	assert_int_equal(rules_put(rules, rule.pattern, &rule), 0);
	assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT), 0);
	assert_null(rules_match(rules, &facts, &error));
	facts.exe = text;
	assert_ptr_equal(rules_match(rules, &facts, &error), &rule);
	rules_free(rules);
	free(text);
}

/* ---- many ---- */

static void each_of_15000_rules_is_found(void **state)
{
	enum { MANY = 15000 };
	struct rule *many = calloc(MANY, sizeof(*many));
	char(*names)[24] = calloc(MANY, sizeof(*names));
	struct rules *rules = rules_new();
	struct facts facts = { .have = FACT_EXE | FACT_ARGV };
	char exe[32];
	int error;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		/* Every third is a glob; their literal text has one length. */
		snprintf(names[i], sizeof(names[i]), i % 3 ? "app-%05d-x" : "app-%05d*", i);
		many[i] = (struct rule){ .pattern = names[i],
					 .qos = "QOS_UTILITY",
					 .source = { .line = (uint32_t)(MANY - i), .file = 1 } };
		assert_int_equal(rules_put(rules, names[i], &many[i]), 0);
	}
	assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT), 0);
	assert_int_equal(rules_count(rules), MANY);
	for (int i = 0; i < MANY; i += 7) {
		snprintf(exe, sizeof(exe), "/bin/app-%05d-x", i);
		facts.exe = exe;
		assert_ptr_equal(rules_match(rules, &facts, &error), &many[i]);
		assert_ptr_equal(rules_by_id(rules, many[i].id), &many[i]);
		assert_ptr_equal(rules_nth(rules, (size_t)(MANY - 1 - i)), &many[i]);
	}
	facts.exe = "/bin/app-15000-x";
	assert_null(rules_match(rules, &facts, &error));
	rules_free(rules);
	free(names);
	free(many);
}

/* The fast way to the best glob gives what the plain reading of the specification gives. */
static void the_best_glob_is_the_best_of_all_that_match(void **state)
{
	static const char alphabet[] = "ab*?[]";
	enum { N = 60 };
	static struct rule rules_of[N];
	static char patterns[N][8];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct rules *rules = rules_new();
		char name[6] = "";

		for (int i = 0; i < N; i++) {
			size_t length = 1 + (seed = seed * 1664525 + 1013904223) / 65536 % 6;

			for (size_t k = 0; k < length; k++)
				patterns[i][k] = alphabet[(seed = seed * 1664525 + 1013904223) /
							  65536 % (sizeof(alphabet) - 1)];
			patterns[i][length] = '\0';
			rules_of[i] = (struct rule){ .pattern = patterns[i],
						     .source = { .line = (uint32_t)i + 1 } };
			assert_int_equal(rules_put(rules, patterns[i], &rules_of[i]), 0);
		}
		assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT), 0);
		for (int k = 0; k < 5; k++) {
			struct facts facts = { .have = FACT_EXE | FACT_ARGV, .exe = name };
			const struct rule *best = NULL;
			int error;

			name[k] = alphabet[(seed = seed * 1664525 + 1013904223) / 65536 % 2];
			for (size_t i = 0; i < rules_count(rules); i++) {
				const struct rule *rule = rules_nth(rules, i);

				if (!pattern_match(rule->pattern, name))
					continue;
				if (!best || (pattern_is_glob(best->pattern) &&
					      (!pattern_is_glob(rule->pattern) ||
					       pattern_literal(rule->pattern) >
						       pattern_literal(best->pattern))))
					best = rule;
			}
			assert_ptr_equal(rules_match(rules, &facts, &error), best);
		}
		rules_free(rules);
	}
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
		cmocka_unit_test(a_script_s_name_may_be_behind_an_option_of_its_interpreter),
		cmocka_unit_test(a_long_script_name_is_known_by_its_first_15_bytes),
		cmocka_unit_test(an_argument_that_comm_does_not_confirm_is_no_script),
		cmocka_unit_test(a_comm_that_nothing_confirms_is_no_name),
		cmocka_unit_test(comm_is_read_only_where_a_script_s_name_is_of_use),
		cmocka_unit_test(exe_is_a_glob_on_the_path),
		cmocka_unit_test(every_argv_glob_matches_some_argument),
		cmocka_unit_test(cgroup_is_a_glob_on_the_cgroup_s_path),
		cmocka_unit_test(user_is_a_name_or_a_number),
		cmocka_unit_test(an_unknown_user_is_nobody),
		cmocka_unit_test(parent_is_a_pattern_on_the_parent_s_names),
		cmocka_unit_test(all_conditions_have_to_hold),
		cmocka_unit_test(the_first_rule_of_a_list_that_matches_is_taken),
		cmocka_unit_test(a_rule_whose_conditions_fail_leaves_the_next_best_pattern),
		cmocka_unit_test(costly_facts_are_asked_for_only_when_a_pattern_matched),
		cmocka_unit_test(a_fact_that_cannot_be_had_is_an_error),
		cmocka_unit_test(a_missing_fact_is_no_error_if_another_rule_takes_the_process),
		cmocka_unit_test(a_parent_that_is_gone_is_no_parent),
		cmocka_unit_test(without_fetch_only_what_is_there_can_be_had),
		cmocka_unit_test(an_exact_thread_name_beats_a_glob),
		cmocka_unit_test(of_thread_globs_the_longer_then_the_earlier_wins),
		cmocka_unit_test(a_rule_without_thread_rules_has_none),
		cmocka_unit_test(a_tag_is_a_class_at_a_period),
		cmocka_unit_test(odd_patterns_mean_what_the_shell_means_by_them),
		cmocka_unit_test(a_bracket_counts_nothing_towards_the_rank),
		cmocka_unit_test(very_long_patterns_match_long_names_only),
		cmocka_unit_test(a_very_long_prefix_matches_as_well),
		cmocka_unit_test(each_of_15000_rules_is_found),
		cmocka_unit_test(the_best_glob_is_the_best_of_all_that_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
