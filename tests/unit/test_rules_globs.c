/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how odd patterns match, and which of many globs wins. */
#include "fake_process.h"

#include <errno.h>

/* ---- odd patterns ---- */

/* the_best_glob_is_the_best_of_all_that_match has the other cases. */
TEST(odd_patterns_match_as_in_the_shell)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "[", "[", true },	   { "[*", "[x", true },	 { "[!a]*", "awk", false },
		{ "[]]x", "]x", true },	   { "[[:digit:]]x", "7x", true }, { "x*[*]y", "xzzy", false },
		{ "\\*", "*", true },	   { "a\\*b*", "axbc", false }, { "a\\b", "a\\b", true },
		{ "a\\b", "ab", false },   { ".*", ".hidden", true },	 { "*.service", ".service", true },
		{ "*]b", "a]b", true },	   { "[a-c]b\\]", "cb]", true },  { "*bc", "bc", true },
		{ "*", "", true },	   { "/a*", "/a/b", true },	 { "?*?", "a", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (pattern_match(cases[i].pattern, cases[i].name) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].name);
	}
}

TEST(brackets_do_not_count_for_the_rank_of_a_glob)
{
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
	assert_int_equal(pattern_literal("[[:alpha:]x]y"), 1);
	assert_int_equal(pattern_literal("[a\\]]y"), 1);
	assert_true(pattern_has_open_bracket("x[a\\]"));
	assert_true(pattern_has_open_bracket("[]"));
	assert_false(pattern_has_open_bracket("[]]a]\\["));
	assert_true(pattern_is_glob("a?"));
	assert_false(pattern_is_glob("a\\b"));
}

TEST(a_name_may_have_255_bytes_and_an_argument_4095)
{
	static char name[257], argv[4200];
	struct rule by_name = { .pattern = "x*" };
	struct rule_match match = { .argv = (const char *[]){ "*a" }, .n_argv = 1 };
	struct rule by_argument = { .pattern = "app", .match = &match };
	struct rules *rules = rules_new();
	int error;

	assert_int_equal(rules_put(rules, by_name.pattern, &by_name, &by_name.source), 0);
	assert_int_equal(rules_put(rules, by_argument.pattern, &by_argument, &by_argument.source), 0);
	assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT, false), 0);
	for (size_t length = 255; length <= 256; length++) {
		struct facts facts = { .have = FACT_EXE | FACT_ARGV, .exe = "/bin/sh", .argv = name, .argv_size = length + 1 };

		memset(name, 'x', length);
		assert_ptr_equal(rules_match(rules, &facts, &error), length == 255 ? &by_name : NULL);
	}
	strcpy(argv, "app");
	for (size_t length = 4095; length <= 4096; length++) {
		struct facts facts = {
			.have = FACT_EXE | FACT_ARGV, .exe = "app", .argv = argv, .argv_size = 4 + length + 1
		};

		memset(argv + 4, 'a', length);
		assert_ptr_equal(rules_match(rules, &facts, &error), length == 4095 ? &by_argument : NULL);
	}
	rules_free(rules);
}

/* The kernel does not report such a path, so not even "*" matches. */
TEST(a_path_that_is_unknown_matches_nothing)
{
	struct rule_match any = { .exe = "*" };
	struct rule star = { .pattern = "*", .match = &any }, plain = { .pattern = "app" };
	struct facts facts = { .have = FACT_EXE | FACT_ARGV | FACT_COMM, .exe = "", .exe_is_unknown = true, .argv = "" };
	struct rules *rules = rules_new();
	int error;

	assert_int_equal(rules_put(rules, star.pattern, &star, &star.source), 0);
	assert_int_equal(rules_put(rules, plain.pattern, &plain, &plain.source), 0);
	assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT, false), 0);
	assert_null(rules_match(rules, &facts, &error));
	assert_int_equal(error, 0);
	facts.argv = "app";
	facts.argv_size = 4;
	assert_ptr_equal(rules_match(rules, &facts, &error), &plain);
	rules_free(rules);
}

/* The fast search for the best glob finds the same glob as a plain comparison of all. */
TEST(the_best_glob_is_the_best_of_all_that_match)
{
	static const char alphabet[] = "ab*?[]\\!";
	enum { N = 60 };
	static struct rule rules_of[N];
	static char patterns[N][8];
	uint32_t seed = 1;

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
			assert_int_equal(rules_put(rules, patterns[i], &rules_of[i], &rules_of[i].source), 0);
		}
		assert_int_equal(rules_finish(rules, qos_builtin, QOS_BUILTIN_COUNT, false), 0);
		for (int k = 0; k < 5; k++) {
			struct facts facts = { .have = FACT_EXE | FACT_ARGV, .exe = name };
			const struct rule *best = NULL;
			int error;

			name[k] = alphabet[(seed = seed * 1664525 + 1013904223) / 65536 % 2];
			for (size_t i = 0; i < rules->n_lists; i++) {
				const struct rule *rule = rules->lists[i];

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
