/* SPDX-License-Identifier: GPL-2.0-only */
/* By which of its names a process is matched. */
#include "fake_process.h"

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
		cmocka_unit_test(the_name_that_matched_is_told),
		cmocka_unit_test(all_names_can_be_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
