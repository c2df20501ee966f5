/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules of ananicy become rules of ours that match the same programs, and nothing is lost without a word. */
#include <schedqos/config/ananicy.h>

#include "config_case.h"

#define TYPES                                                                            \
	"{ \"type\": \"Game\", \"nice\": -5, \"ioclass\": \"best-effort\" } # hungry\n"  \
	"{ \"type\": \"Bulk\", \"nice\": 16, \"ioclass\": \"idle\", \"sched\": \"idle\" }\n" \
	"{ \"type\": \"OOM_KILL\", \"oom_score_adj\": 1000 }\n"

struct import {
	struct ananicy *ananicy;
	struct ananicy_output output;
	char *summary;
};

static int import_text(struct import *import, const struct ananicy_options *options, const char *rules, size_t size)
{
	int r;

	*import = (struct import){ 0 };
	assert_int_equal(ananicy_new(&import->ananicy), 0);
	assert_int_equal(ananicy_read(import->ananicy, "a.rules", rules, size), 0);
	/* In a folder's order types may come last. */
	assert_int_equal(ananicy_read(import->ananicy, "z.types", TYPES, strlen(TYPES)), 0);
	r = ananicy_convert(import->ananicy, options, &import->output);
	import->summary = ananicy_summary(import->ananicy);
	assert_non_null(import->summary);
	return r;
}

static void import_clear(struct import *import)
{
	ananicy_output_clear(&import->output);
	ananicy_free(import->ananicy);
	free(import->summary);
}

static void check_said(const struct import *import, const char *line)
{
	if (!strstr(import->summary, line))
		fail_msg("not said: %s\nbut:\n%s", line, import->summary);
}

/* What is written can be read, without a warning, and is this. */
static void check_import(const struct ananicy_options *options, const char *rules, const char *want, const char *said)
{
	struct config_file file = { .path = "o.json" };
	struct config_errors errors = { 0 };
	struct config *config;
	struct import import;

	assert_int_equal(import_text(&import, options, rules, strlen(rules)), 0);
	assert_int_equal(import.output.count, 1);
	file.text = import.output.parts[0].text;
	assert_memory_equal(file.text, ANANICY_HEADER, strlen(ANANICY_HEADER));
	assert_string_equal(strchr(file.text, '\n') + 1, want);
	config = parse_good(&file, 1);
	if (!options->exact) {
		assert_int_equal(config_check_grants(config, &errors), 0);
		print_all(&errors);
		assert_int_equal(errors.count, 0);
	}
	config_free(config);
	check_said(&import, said);
	import_clear(&import);
}

#define RULE(name, class) "\t\"" name "\": { \"qos\": \"" class "\", \"yield\": true }"
#define UI	   "QOS_USER_INTERACTIVE"
#define BG	   "QOS_BACKGROUND"

static const struct ananicy_options plain = { .in_one = true };
static const struct ananicy_options exact = { .in_one = true, .exact = true };

static void types_become_classes(void **state)
{
	(void)state;
	check_import(&plain,
		     "# {\"name\": \"comment\", \"type\": \"Game\"}\r\n"
		     "  {\"name\": \"game\", \"type\": \"Game\"} https://example.org/#{}\r\n"
		     "\n{\"type\": \"Doc-View\", \"name\": \"pages\"}\n"
		     "{\"name\": \"bulk\", \"type\": \"Bulk\"}\n"
		     "{\"name\": \"typeless\", \"nice\": 5}",
		     "{\n" RULE("bulk", BG) ",\n" RULE("game", UI) ",\n" RULE("pages", "QOS_USER_INITIATED") ",\n"
		     RULE("typeless", "QOS_UTILITY") "\n}\n",
		     "4 rules in 2 files, 4 of them imported\n");
}

/* A name matches itself and nothing else, whatever it consists of, and is no key of another kind. */
static void names_stay_what_they_are(void **state)
{
	(void)state;
	check_import(&plain,
		     "{\"name\": \"$schema\", \"type\": \"Game\"}\n{\"name\": \"QOS_X\", \"type\": \"Game\"}\n"
		     "{\"name\": \"a [b]*?.exe\", \"type\": \"Game\"}\n{\"name\": \"b\\\"\\u0001\", \"type\": \"Game\"}\n"
		     "{\"name\": \"schedqos\", \"type\": \"Game\"}\n{\"name\": \"Ünï 日本\", \"type\": \"Game\"}\n"
		     "{\"name\": \"/usr/bin/x\", \"type\": \"Game\"}\n{\"name\": \" x \", \"type\": \"Game\"}\n"
		     "{\"name\": \"A -B C-.exe\", \"type\": \"Game\"}\n",
		     "{\n" RULE("[ ]x[ ]", UI) ",\n" RULE("[$]schema", UI) ",\n" RULE("A -B C-.exe", UI) ",\n"
		     RULE("[Q]OS_X", UI) ",\n" RULE("a [[]b][*][?].exe", UI) ",\n"
		     RULE("b\\\"\\u0001", UI) ",\n" RULE("[s]chedqos", UI) ",\n" RULE("Ünï 日本", UI) "\n}\n",
		     "1 rule cannot match any program: left out\n"
		     "    a.rules:7: /usr/bin/x: a name has no slash or backslash\n");
}

static void the_last_one_wins(void **state)
{
	static const char rules[] = "{\"name\": \"x\", \"type\": \"Game\"}\n{\"name\": \"x\", \"type\": \"Bulk\"}\n"
				    "{\"name\": \"y\", \"type\": \"Bulk\"}\n{\"name\": \"y\", \"type\": \"Bulk\"}\n";
	static const char want[] = "{\n" RULE("x", BG) ",\n" RULE("y", BG) "\n}\n";

	(void)state;
	check_import(&plain, rules, want,
		     "1 line is overridden by a later one that says something else\n    a.rules:1: x: a.rules:2\n");
	check_import(&plain, rules, want, "1 line is repeated by a later one\n    a.rules:3: y: a.rules:4\n");
}

/* A type's values, and a rule's own over them. */
static void exact_classes(void **state)
{
	(void)state;
	check_import(&exact,
		     "{\"name\": \"a\", \"type\": \"Game\"}\n{\"name\": \"b\", \"type\": \"Game\", \"nice\": -9, \"ionice\": 3}\n"
		     "{\"name\": \"c\", \"type\": \"Bulk\"}\n{\"name\": \"d\", \"sched\": \"fifo\", \"nice\": 3}\n"
		     "{\"name\": \"e\", \"type\": \"Bulk\", \"sched\": \"rr\", \"rtprio\": 7, \"ioclass\": \"none\"}\n",
		     "{\n"
		     "\t\"QOS_ANANICY_BULK\": { \"sched_policy\": \"SCHED_IDLE\", \"sched_nice\": 16, \"io_class\": \"idle\" },\n"
		     "\t\"QOS_ANANICY_BULK_RR_PRIORITY_7_NONE\": { \"sched_policy\": \"SCHED_RR\", \"sched_priority\": 7,"
		     " \"io_class\": \"none\" },\n"
		     "\t\"QOS_ANANICY_FIFO_NICE_3\": { \"sched_policy\": \"SCHED_FIFO\", \"sched_priority\": 1 },\n"
		     "\t\"QOS_ANANICY_GAME\": { \"sched_nice\": -5, \"io_class\": \"best-effort\", \"io_priority\": 0 },\n"
		     "\t\"QOS_ANANICY_GAME_NICE_M9_IO_3\": { \"sched_nice\": -9, \"io_class\": \"best-effort\","
		     " \"io_priority\": 3 },\n"
		     RULE("a", "QOS_ANANICY_GAME") ",\n" RULE("b", "QOS_ANANICY_GAME_NICE_M9_IO_3") ",\n"
		     RULE("c", "QOS_ANANICY_BULK") ",\n" RULE("d", "QOS_ANANICY_FIFO_NICE_3") ",\n"
		     RULE("e", "QOS_ANANICY_BULK_RR_PRIORITY_7_NONE") "\n}\n",
		     "    1 QOS_ANANICY_GAME_NICE_M9_IO_3\n");
	check_import(&plain, "{\"name\": \"b\", \"type\": \"Game\", \"nice\": -9}\n", "{\n" RULE("b", UI) "\n}\n",
		     "1 rule has values beside its type, which only --exact takes over\n    a.rules:1: b: Game\n");
}

/* Type names that a class name cannot tell apart. */
static void exact_classes_are_told_apart(void **state)
{
	(void)state;
	check_import(&exact,
		     "{\"type\": \"A-B\", \"nice\": 1}\n{\"type\": \"A_B\", \"nice\": 2}\n{\"type\": \"a b\", \"nice\": 1}\n"
		     "{\"name\": \"x\", \"type\": \"A-B\"}\n{\"name\": \"y\", \"type\": \"A_B\"}\n"
		     "{\"name\": \"z\", \"type\": \"a b\"}\n",
		     "{\n\t\"QOS_ANANICY_A_B\": { \"sched_nice\": 1 },\n\t\"QOS_ANANICY_A_B_2\": { \"sched_nice\": 2 },\n"
		     RULE("x", "QOS_ANANICY_A_B") ",\n" RULE("y", "QOS_ANANICY_A_B_2") ",\n"
		     RULE("z", "QOS_ANANICY_A_B") "\n}\n",
		     "    2 QOS_ANANICY_A_B\n    1 QOS_ANANICY_A_B_2\n");
}

static void everything_else_is_told(void **state)
{
	static const char rules[] =
		"{\"name\": \"a\", \"type\": \"Game\", \"cmdlines\": [\"x\"]}\n"
		"not a rule\n{\"name\": \"\", \"type\": \"Game\", \"nice\": 7}\n{\"type\": 3}\n[]\n"
		"{\"name\": \"n\\n\\u001b[31m\", \"type\": \"None\"}\n"
		"{\"name\": \"o\", \"type\": \"OOM_KILL\"}\n"
		"{\"name\": \"p\", \"type\": \"Game\", \"nice\": 20, \"ionice\": 1.5, \"sched\": \"isolated\", \"ioclass\": 2}\n"
		"{\"name\": \"MAIN.exe\", \"type\": \"Game\"}\n";
	static const char *const said[] = {
		"5 rules in 2 files, 3 of them imported\n    3 QOS_USER_INTERACTIVE\n",
		"4 lines are not rules\n    a.rules:2: no JSON object\n    a.rules:3: an empty name\n"
		"    a.rules:4: neither a name nor a type\n    and 1 more\n",
		"2 fields are not something schedqos sets: left out\n    a.rules:1: a: cmdlines\n"
		"    z.types:3: OOM_KILL: oom_score_adj\n",
		"1 rule has a type that is not defined\n    a.rules:6: n\\n\\x1b[31m: None\n",
		"2 rules set nothing that a class could be chosen by: left out\n    a.rules:6: n\\n\\x1b[31m: None\n"
		"    a.rules:7: o: OOM_KILL\n",
		"4 values are unknown or out of range: left out\n    a.rules:8: p: nice\n    a.rules:8: p: ionice\n"
		"    a.rules:8: p: sched\n    and 1 more\n",
		"1 name is doubtful, because unrelated programs share it\n    a.rules:9: MAIN.exe: Game\n",
	};
	const struct ananicy_options skip = { .in_one = true, .skip_doubtful = true };
	struct import import;

	(void)state;
	assert_int_equal(import_text(&import, &plain, rules, strlen(rules)), 0);
	for (size_t i = 0; i < COUNT(said); i++)
		check_said(&import, said[i]);
	assert_non_null(strstr(import.output.parts[0].text, "MAIN.exe"));
	import_clear(&import);
	assert_int_equal(import_text(&import, &skip, rules, strlen(rules)), 0);
	check_said(&import, "5 rules in 2 files, 2 of them imported\n");
	assert_null(strstr(import.output.parts[0].text, "MAIN.exe"));
	import_clear(&import);
	assert_int_equal(import_text(&import, &plain, "# none\n", 7), -ENOENT);
	import_clear(&import);
}

/* Within the limit of a file, each file by itself is good, and no rule is lost. In exact, classes come first. */
static void a_large_result_is_split(void **state)
{
	enum { RULES = 20000 };
	const struct ananicy_options split = { 0 }, split_exact = { .exact = true };
	static char rules[RULES * 64];
	struct import import;
	size_t len = 0, n = 0;

	(void)state;
	for (int i = 0; i < RULES; i++)
		len += snprintf(rules + len, sizeof(rules) - len, "{\"name\":\"program-%06d\",\"type\":\"Game\"}\n", i);
	assert_int_equal(import_text(&import, &split, rules, len), 0);
	assert_int_equal(import.output.count, 2);
	assert_string_equal(import.output.parts[0].label, "p");
	assert_string_equal(import.output.parts[1].label, "p-2");
	for (size_t i = 0; i < import.output.count; i++) {
		struct config_file file = { .path = "o.json", .text = import.output.parts[i].text };
		struct config *config = parse_good(&file, 1);

		assert_true(strlen(file.text) <= CONFIG_SIZE_MAX);
		n += rules_count(config->rules);
		config_free(config);
	}
	assert_int_equal(n, RULES);
	import_clear(&import);
	assert_int_equal(import_text(&import, &split_exact, rules, len), 0);
	assert_int_equal(import.output.count, 3);
	assert_string_equal(import.output.parts[0].label, "0");
	assert_non_null(strstr(import.output.parts[0].text, "\"QOS_ANANICY_GAME\": {"));
	assert_null(strstr(import.output.parts[0].text, "program-"));
	import_clear(&import);
}

static void labels_of_parts_are_known(void **state)
{
	static const char *const labels[] = { "0", "1", "12", "a", "z-2", "other", "digits-10" };
	static const char *const others[] = { "", "games", "ab", "a-", "-1", "1-2", "other-x", "9a" };

	(void)state;
	for (size_t i = 0; i < COUNT(labels); i++)
		assert_true(ananicy_is_label(labels[i], strlen(labels[i])));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(ananicy_is_label(others[i], strlen(others[i])));
}

/* What comes in at the front moves nothing from file to file. */
static void rules_stay_in_their_files(void **state)
{
	enum { RULES = 20000 };
	static const char early[] = "{\"name\":\"aaa\",\"type\":\"Game\"}\n";
	const struct ananicy_options split = { 0 };
	static char rules[RULES * 64];
	struct import before, after;
	size_t len = sizeof(early) - 1;

	(void)state;
	memcpy(rules, early, len);
	for (int i = 0; i < RULES; i++)
		len += snprintf(rules + len, sizeof(rules) - len, "{\"name\":\"%c-program-%06d\",\"type\":\"Game\"}\n", "ahpz"[i % 4], i);
	assert_int_equal(import_text(&before, &split, rules + sizeof(early) - 1, len - sizeof(early) + 1), 0);
	assert_int_equal(import_text(&after, &split, rules, len), 0);
	assert_int_equal(before.output.count, 4);
	assert_int_equal(after.output.count, 4);
	assert_string_not_equal(before.output.parts[0].text, after.output.parts[0].text);
	for (size_t i = 1; i < 4; i++) {
		assert_string_equal(before.output.parts[i].label, after.output.parts[i].label);
		assert_string_equal(before.output.parts[i].text, after.output.parts[i].text);
	}
	import_clear(&before);
	import_clear(&after);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_become_classes),
		cmocka_unit_test(names_stay_what_they_are),
		cmocka_unit_test(the_last_one_wins),
		cmocka_unit_test(exact_classes),
		cmocka_unit_test(exact_classes_are_told_apart),
		cmocka_unit_test(everything_else_is_told),
		cmocka_unit_test(a_large_result_is_split),
		cmocka_unit_test(labels_of_parts_are_known),
		cmocka_unit_test(rules_stay_in_their_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
