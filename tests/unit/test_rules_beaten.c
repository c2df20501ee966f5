/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules that another one always comes before. */
#include "config_case.h"

#include <schedqos/policy/rules.h>

static void inclusion_of_globs(void **state)
{
	static const struct {
		const char *wide, *narrow;
		bool includes;
	} cases[] = {
		{ "*", "", true },	      { "*", "*", true },	    { "*", "a[bc]?", true },
		{ "a*", "ab*", true },	      { "ab*", "a*", false },	    { "*b", "ab", true },
		{ "*b*", "abc", true },	      { "a?c", "abc", true },	    { "a?c", "a[bx]c", true },
		{ "a?c", "a*c", false },      { "a[bx]c", "abc", true },    { "a[bx]c", "ac", false },
		{ "a[!b]c", "abc", false },   { "a[0-9]", "a[0-9]", true }, { "a[0-9]", "a7", true },
		{ "a[0-9]", "a[0-8]", false }, { "\\*x", "\\*x", true },    { "\\*x", "*x", false },
		{ "*.exe", "game*.exe", true }, { "*a*b*", "xaxbx", true },  { "*a*b*", "xbxax", false },
		{ "", "", true },	      { "", "*", false },	    { "?", "*", false },
		{ "a[", "a[", true },	      { "[[:digit:]]", "7", true }, { "/a/*", "/a/*/c", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (pattern_includes(cases[i].wide, cases[i].narrow) != cases[i].includes)
			fail_msg("%s and %s", cases[i].wide, cases[i].narrow);
	}
}

/* If it is said to include the other, it matches each name that the other one matches. */
static void inclusion_holds_for_all_short_globs(void **state)
{
	static const char letters[] = "ab*?", names[] = "abc";
	enum { LENGTH = 3, GLOBS = 64, NAMES = 27 };
	unsigned included = 0;

	(void)state;
	for (unsigned pair = 0; pair < GLOBS * GLOBS; pair++) {
		char wide[LENGTH + 1] = "", narrow[LENGTH + 1] = "";

		for (unsigned i = 0, w = pair % GLOBS, n = pair / GLOBS; i < LENGTH; i++, w /= 4, n /= 4) {
			wide[i] = letters[w % 4];
			narrow[i] = letters[n % 4];
		}
		if (!pattern_includes(wide, narrow))
			continue;
		included++;
		for (unsigned number = 0; number < NAMES; number++) {
			const char name[] = { names[number % 3], names[number / 3 % 3], names[number / 9], '\0' };

			for (const char *end = name; *end; end++) {
				if (pattern_match(narrow, end) && !pattern_match(wide, end))
					fail_msg("%s and %s: %s", wide, narrow, end);
			}
		}
	}
	assert_true(included > GLOBS);
}

/* The warnings of a first and a second file, separated by newlines. */
static void check_warnings(const char *first, const char *second, const char *wanted)
{
	const struct config_file files[] = { RULES(first), { .path = "later.json", .text = second, .kind = CONFIG_RULES } };
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	char all[1024] = "";

	assert_int_equal(parse(files, COUNT(files), &config, &errors), 0);
	assert_int_equal(config_lint(config, &errors), 0);
	assert_int_equal(errors.n_errors, 0);
	for (size_t i = 0; i < errors.count; i++) {
		char *text = config_error_text(&errors.items[i]);

		snprintf(strchr(all, '\0'), (size_t)(all + sizeof(all) - strchr(all, '\0')), "%s\n", text);
		free(text);
	}
	assert_string_equal(all, wanted);
	config_errors_clear(&errors);
	config_free(config);
}

static void a_path_whose_last_part_has_an_exact_rule(void **state)
{
	(void)state;
	check_warnings("{'chrome': {}}", "{\n'/opt/*/chrome': {}}",
		       "later.json:2:1: [\"/opt/*/chrome\"]: warning: never takes effect: \"chrome\" of rules.json:1 has no "
		       "conditions and always comes first, since an exact name goes before a glob: write \"chrome\" with a "
		       "\"match\" of \"exe\"\n");
	/* An exact path; another name; a glob; conditions; in sandboxes as well; masked. */
	check_warnings("{'chrome': {}}", "{'/opt/chrome': {}, '/opt/*/chromium': {}, '/opt/*/chrome*': {}}", "");
	check_warnings("{'chrome': {'match': {'argv': 'x'}}}", "{'/opt/*/chrome': {}}", "");
	check_warnings("{'chrome': {'match': {'user_namespace': 'initial'}}}",
		       "{'/app/*/chrome': {'match': {'user_namespace': 'any'}}}", "");
	check_warnings("{'chrome': {}}", "{'/opt/*/chrome': {}, 'chrome': null}", "");
	/* The later file's rule is meant to come before. */
	check_warnings("{'/opt/*/chrome': {}}", "{'chrome': {}}", "");
}

static void a_glob_within_a_longer_one(void **state)
{
	(void)state;
	check_warnings("{'gcc-[0-9]': {},\n'gcc*-[0-9]': {}}", "{}", "");
	check_warnings("{'*-game': {},\n'a[0-9]-game': {}}", "{}", "");
	check_warnings("{'my*app': {},\n'my?app': {}}", "{}",
		       "rules.json:2:1: [\"my?app\"]: warning: never takes effect: \"my*app\" of rules.json:1 has no conditions "
		       "and always comes first\n");
	check_warnings("{'my?app': {},\n'my*app': {}}", "{}", "");
	/* What stands between them does not hide it. */
	check_warnings("{'my*app': [{'match': {'user': 0}}, {}],\n'*\\u0001app*': {},\n'my?app': {}}", "{}",
		       "rules.json:3:1: [\"my?app\"]: warning: never takes effect: \"my*app\" of rules.json:1 has no conditions "
		       "and always comes first\n");
	check_warnings("{'my*app': {'match': {'user': 0}},\n'my?app': {}}", "{}", "");
	check_warnings("{'my?app': {}}", "{'my*app': {}}", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inclusion_of_globs),
		cmocka_unit_test(inclusion_holds_for_all_short_globs),
		cmocka_unit_test(a_path_whose_last_part_has_an_exact_rule),
		cmocka_unit_test(a_glob_within_a_longer_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
