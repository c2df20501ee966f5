/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies the reasons that are reported for rules that came close. */
#include "fake_process.h"

#include <schedqos/policy/rules_trace.h>

#define TRACES_MAX 8

static struct process_names names;
static struct rule_trace traces[TRACES_MAX];
static size_t n_traces;

/* Traces the process, and checks that it takes the rule of this pattern; NULL: none. */
static void trace(const struct config *config, struct process *process, const char *taken)
{
	const struct rule *rule = assert_matches(config, process, taken);

	assert_int_equal(rules_names(config->rules, &process->facts, &names), 0);
	n_traces = rules_trace(config->rules, &names, &process->facts, rule, traces, TRACES_MAX);
}

static void assert_trace(size_t i, const char *pattern, enum rule_outcome outcome, const char *name)
{
	assert_in_range(i, 0, n_traces - 1);
	assert_string_equal(traces[i].pattern, pattern);
	assert_int_equal(traces[i].outcome, outcome);
	assert_string_equal(traces[i].name.text, name);
}

/* Checks how close the only rule of a configuration comes to the process. */
static void assert_one(struct process process, const char *rule, const char *pattern, enum rule_outcome outcome,
		       const char *name)
{
	struct config *config = rules_file(rule);

	trace(config, &process, NULL);
	assert_int_equal(n_traces, 1);
	assert_trace(0, pattern, outcome, name);
	config_free(config);
}

static void assert_condition(struct process process, const char *match, enum rule_condition condition,
			     const char *wanted)
{
	struct config *config;
	char text[512];

	snprintf(text, sizeof(text), "'vi': { 'qos': 'QOS_UTILITY', 'match': { %s } }", match);
	config = rules_file(text);
	trace(config, &process, NULL);
	assert_int_equal(n_traces, 1);
	assert_trace(0, "vi", OUTCOME_CONDITION, "vi");
	assert_int_equal(traces[0].failure.condition, condition);
	if (wanted)
		assert_string_equal(traces[0].failure.wanted, wanted);
	config_free(config);
}

#define VI PROCESS("/usr/bin/vi", "vi", "vi\0-r", .cgroup = "/user.slice", .uid = 7)

TEST(the_first_condition_that_does_not_hold_is_reported)
{
	assert_condition((struct process)VI, "'exe': '/opt/*'", CONDITION_EXE, "/opt/*");
	assert_condition((struct process)VI, "'argv': ['-r', '-x']", CONDITION_ARGV, "-x");
	assert_condition((struct process)VI, "'user': 8", CONDITION_USER, "8");
	assert_condition((struct process)VI, "'user': 7, 'cgroup': '/system.slice'", CONDITION_CGROUP, "/system.slice");
	assert_condition((struct process)VI, "'parent': 'make'", CONDITION_PARENT, "make");
	assert_condition((struct process)VI, "'parent': [ 'make', 'ninja' ]", CONDITION_PARENT, NULL);
	assert_condition((struct process)PROCESS("/usr/bin/vi", "vi", "vi", .sandboxed = true), "'exe': '/usr/*'",
			 CONDITION_USERNS, NULL);
	assert_condition((struct process)PROCESS("/usr/bin/vi", "vi", "vi", .elsewhere = true),
			 "'exe': '*' }, 'raise': 'seat', 'thread_qos': { 'x': 'QOS_USER_INTERACTIVE'", CONDITION_SEAT, NULL);
}

TEST(patterns_that_nearly_match_are_reported)
{
	struct process renderer = PROCESS("/usr/bin/my-renderer", "my-renderer", "my-renderer");
	struct process worker = PROCESS("/usr/bin/vi", "worker", "vi");

	assert_one(renderer, "'my-render': { 'qos': 'QOS_UTILITY' }", "my-render", OUTCOME_SIMILAR, "my-renderer");
	assert_one(renderer, "'My-*er': { 'qos': 'QOS_UTILITY' }", "My-*er", OUTCOME_CASE, "my-renderer");
	assert_one(renderer, "'/opt/*/my-renderer': { 'qos': 'QOS_UTILITY' }", "/opt/*/my-renderer", OUTCOME_FOLDER,
		   "/usr/bin/my-renderer");
	assert_one(worker, "'work*': { 'qos': 'QOS_UTILITY' }", "work*", OUTCOME_COMM, "worker");
}

TEST(unrelated_rules_are_not_reported)
{
	struct process process = VI;
	struct config *config = rules_file("'ed': { 'qos': 'QOS_UTILITY' }, 'x*': { 'qos': 'QOS_UTILITY' }, "
					   "'/opt/*': { 'qos': 'QOS_UTILITY' }, 'vim': null");

	trace(config, &process, NULL);
	assert_int_equal(n_traces, 0);
	config_free(config);
}

TEST(masked_and_replaced_rules_are_reported)
{
	struct process process = VI;
	struct config *config = two_files("'vi': { 'qos': 'QOS_UTILITY' }", "'vi': null");

	trace(config, &process, NULL);
	assert_int_equal(n_traces, 2);
	assert_trace(0, "vi", OUTCOME_MASKED, "vi");
	assert_int_equal(traces[0].source.file, 1);
	assert_int_equal(traces[0].source.column, 3);
	assert_trace(1, "vi", OUTCOME_REPLACED, "vi");
	assert_int_equal(traces[1].source.file, 0);
	config_free(config);
	config = two_files("'vi': { 'qos': 'QOS_UTILITY' }", "'vi': { 'qos': 'QOS_BACKGROUND' }");
	trace(config, &process, "vi");
	assert_int_equal(n_traces, 1);
	assert_trace(0, "vi", OUTCOME_REPLACED, "vi");
	config_free(config);
}

/* In a list of rules, those after the rule that was taken are not tried. The closest rules come first. */
TEST(rules_that_also_match_are_reported)
{
	struct process process = VI;
	struct config *config = rules_file("'*': { 'qos': 'QOS_UTILITY' }, '-r': { 'qos': 'QOS_UTILITY' }, "
					   "'vi': [{ 'qos': 'QOS_UTILITY', 'match': { 'user': 8 } }, "
					   "{ 'qos': 'QOS_UTILITY', 'match': { 'user': 7 } }, { 'match': { 'user': 9 } }]");

	trace(config, &process, "vi");
	assert_int_equal(n_traces, 2);
	assert_trace(0, "vi", OUTCOME_CONDITION, "vi");
	assert_trace(1, "*", OUTCOME_BEATEN, "vi");
	config_free(config);
}

/* A decision may be made before the arguments have been read; explain reads them, and finds a rule that precedes. */
TEST(a_rule_that_would_be_taken_now_is_reported)
{
	struct process process = PROCESS("/usr/bin/vim.tiny", "vi", "vi");
	struct config *config = rules_file("'vi': { 'qos': 'QOS_UTILITY' }, 'vim.tiny': { 'qos': 'QOS_UTILITY' }, "
					   "'v*': { 'qos': 'QOS_UTILITY' }");
	const struct rule *earlier = rules_of_pattern(config->rules, "vim.tiny");

	assert_matches(config, &process, "vi");
	assert_int_equal(rules_names(config->rules, &process.facts, &names), 0);
	n_traces = rules_trace(config->rules, &names, &process.facts, earlier, traces, TRACES_MAX);
	assert_int_equal(n_traces, 2);
	assert_trace(0, "vi", OUTCOME_PENDING, "vi");
	assert_trace(1, "v*", OUTCOME_BEATEN, "vi");
	process.facts.argv_is_unread = true;
	n_traces = rules_trace(config->rules, &names, &process.facts, earlier, traces, TRACES_MAX);
	assert_int_equal(n_traces, 2);
	assert_trace(0, "vi", OUTCOME_BEATEN, "vi");
	config_free(config);
}

TEST(only_the_closest_rules_are_reported)
{
	struct process process = VI;
	struct config *config = rules_file("'VI': { 'qos': 'QOS_UTILITY' }, 'Vi': { 'qos': 'QOS_UTILITY' }, "
					   "'vi': { 'qos': 'QOS_UTILITY', 'match': { 'user': 8 } }");
	const struct rule *rule = assert_matches(config, &process, NULL);

	assert_int_equal(rules_names(config->rules, &process.facts, &names), 0);
	n_traces = rules_trace(config->rules, &names, &process.facts, rule, traces, 2);
	assert_int_equal(n_traces, 2);
	assert_trace(0, "vi", OUTCOME_CONDITION, "vi");
	assert_trace(1, "VI", OUTCOME_CASE, "vi");
	config_free(config);
}

TEST(the_place_of_a_rule_is_reported)
{
	struct config *config = rules_file("'a': { 'qos': 'QOS_UTILITY' }, 'b c': [{ 'match': { 'user': 1 } }, "
					   "{ 'thread_qos': { 'ui*': 'QOS_UTILITY' } }]");
	const struct rule *first = config->rules->lists[0], *list = config->rules->lists[1];
	char *paths[] = {
		config_path_of(config, first, NULL),
		config_path_of(config, list, NULL),
		config_path_of(config, list->next, &list->next->threads[0]),
	};
	const char *const expected[] = { "a", "[\"b c\"][0]", "[\"b c\"][1].thread_qos[\"ui*\"]" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_string_equal(paths[i], expected[i]);
		free(paths[i]);
	}
	config_free(config);
}

/* ---- the name by which a process is matched ---- */

TEST(the_name_that_matched_is_reported)
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

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct process_name *name;
		struct process_names all;
		struct config *config;
		char text[64];

		snprintf(text, sizeof(text), "'*': {}, '%s': { 'qos': 'QOS_UTILITY' }", cases[i].rule);
		config = rules_file(text);
		assert_matches(config, &perl, cases[i].rule);
		assert_int_equal(rules_names(config->rules, &perl.facts, &all), 0);
		/* Names that no rule needs are reported, too. */
		assert_int_equal(all.count, NAME_EXE + 1);
		name = process_names_match(&all, cases[i].rule);
		assert_int_equal(name->kind, cases[i].kind);
		assert_string_equal(name->text, cases[i].text);
		config_free(config);
	}
}
