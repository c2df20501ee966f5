/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that rules of ananicy become rules that match the same programs, and that every omission is reported. */
#include <schedqos/config/config_text.h>

#include "config_case.h"

#define TYPES                                                                            \
	"{ \"type\": \"Game\", \"nice\": -5, \"ioclass\": \"best-effort\" } # hungry\n"  \
	"{ \"type\": \"Bulk\", \"nice\": 16, \"ioclass\": \"idle\", \"sched\": \"idle\" }\n" \
	"{ \"type\": \"OOM_KILL\", \"oom_score_adj\": 1000 }\n"

struct import {
	struct ananicy *ananicy;
	char *text, *summary;
};

static void import_text(struct import *import, const char *rules, size_t size)
{
	*import = (struct import){ 0 };
	assert_int_equal(ananicy_new(&import->ananicy), 0);
	assert_int_equal(ananicy_read(import->ananicy, "a.rules", rules, size), 0);
	/* In the order of a folder, the types may come last. */
	assert_int_equal(ananicy_read(import->ananicy, "z.types", TYPES, strlen(TYPES)), 0);
	assert_int_equal(ananicy_convert(import->ananicy, &import->text, &import->summary), 0);
}

static void import_clear(struct import *import)
{
	ananicy_free(import->ananicy);
	free(import->text);
	free(import->summary);
}

static void check_said(const struct import *import, const char *line)
{
	if (!strstr(import->summary, line))
		fail_msg("not said: %s\nbut:\n%s", line, import->summary);
}

/* Checks that the output parses without a warning, and has these rules and this summary. */
static void check_import(const char *rules, const char *want, const char *said)
{
	struct config_file file = { .path = "o.json" };
	struct config_errors errors = { 0 };
	struct config *config;
	struct import import;

	import_text(&import, rules, strlen(rules));
	assert_non_null(import.text);
	file.text = import.text;
	assert_memory_equal(file.text, "// Made by", strlen("// Made by"));
	assert_string_equal(strchr(file.text, '\n') + 1, want);
	config = parse_good(&file, 1);
	assert_int_equal(config_lint(config, &errors), 0);
	print_all(&errors);
	assert_int_equal(errors.count, 0);
	config_free(config);
	check_said(&import, said);
	import_clear(&import);
}

#define RULE(name, class) "\t\"" name "\": { \"qos\": \"" class "\", \"yield\": true }"
#define UI	   "QOS_USER_INTERACTIVE"
#define BG	   "QOS_BACKGROUND"

TEST(types_become_classes)
{
	check_import("# {\"name\": \"comment\", \"type\": \"Game\"}\r\n"
		     "  {\"name\": \"game\", \"type\": \"Game\"} https://example.org/#{}\r\n"
		     "\n{\"type\": \"Doc-View\", \"name\": \"pages\"}\n"
		     "{\"name\": \"bulk\", \"type\": \"Bulk\"}\n"
		     "{\"name\": \"typeless\", \"nice\": 5}",
		     "{\n" RULE("bulk", BG) ",\n" RULE("game", UI) ",\n" RULE("pages", "QOS_USER_INITIATED") ",\n"
		     RULE("typeless", "QOS_UTILITY") "\n}\n",
		     "4 rules in 2 files, 4 of them imported\n");
}

/* Names with special characters, or equal to keys of the configuration, match themselves only. */
TEST(a_name_matches_itself_and_nothing_else)
{
	check_import("{\"name\": \"$schema\", \"type\": \"Game\"}\n{\"name\": \"QOS_X\", \"type\": \"Game\"}\n"
		     "{\"name\": \"a [b]*?.exe\", \"type\": \"Game\"}\n{\"name\": \"b\\\"\\u0001\", \"type\": \"Game\"}\n"
		     "{\"name\": \"schedqos\", \"type\": \"Game\"}\n{\"name\": \"Ünï 日本\", \"type\": \"Game\"}\n"
		     "{\"name\": \"/usr/bin/x\", \"type\": \"Game\"}\n{\"name\": \" x \", \"type\": \"Game\"}\n"
		     "{\"name\": \"A -B C-.exe\", \"type\": \"Game\"}\n",
		     "{\n" RULE("[ ]x[ ]", UI) ",\n" RULE("[$]schema", UI) ",\n" RULE("A -B C-.exe", UI) ",\n"
		     RULE("[Q]OS_X", UI) ",\n" RULE("a [[]b][*][?].exe", UI) ",\n"
		     RULE("b\\\"\\u0001", UI) ",\n" RULE("[s]chedqos", UI) ",\n" RULE("Ünï 日本", UI) "\n}\n",
		     "a.rules:7: /usr/bin/x: left out: no program can have this name\n");
}

TEST(the_last_rule_of_a_name_wins)
{
	static const char rules[] = "{\"name\": \"x\", \"type\": \"Game\"}\n{\"name\": \"x\", \"type\": \"Bulk\"}\n"
				    "{\"name\": \"y\", \"type\": \"Bulk\"}\n{\"name\": \"y\", \"type\": \"Bulk\"}\n";
	static const char want[] = "{\n" RULE("x", BG) ",\n" RULE("y", BG) "\n}\n";

	check_import(rules, want,
		     "4 rules in 2 files, 2 of them imported\n");
}

/*
 * The values decide for a type that is not in the table, and for a rule without a type. A rule's own values come first.
 */
TEST(values_decide_about_the_class_of_an_unknown_type)
{
	check_import("{\"name\": \"a\", \"type\": \"Mine\"}\n{\"name\": \"b\", \"type\": \"Mine\", \"nice\": -9}\n"
		     "{\"name\": \"c\", \"type\": \"Bulk\"}\n{\"name\": \"d\", \"sched\": \"fifo\", \"nice\": 3}\n"
		     "{\"name\": \"e\", \"type\": \"Bulk\", \"sched\": \"batch\"}\n{\"name\": \"f\", \"nice\": 0}\n"
		     "{\"name\": \"g\", \"nice\": -3}\n{\"name\": \"h\", \"sched\": \"batch\"}\n{\"type\": \"Mine\", \"nice\": 10}\n",
		     "{\n" RULE("a", "QOS_UTILITY") ",\n" RULE("b", UI) ",\n" RULE("c", BG) ",\n" RULE("d", UI) ",\n"
		     RULE("e", BG) ",\n" RULE("f", "QOS_DEFAULT") ",\n" RULE("g", "QOS_USER_INITIATED") ",\n"
		     RULE("h", "QOS_UTILITY") "\n}\n",
		     "8 rules in 2 files, 8 of them imported\n");
	check_import("{\"name\": \"b\", \"type\": \"Game\", \"nice\": -9}\n", "{\n" RULE("b", UI) "\n}\n",
		     "1 rule in 2 files, 1 of them imported\n");
}

TEST(every_omission_is_reported)
{
	static const char rules[] =
		"{\"name\": \"a\", \"type\": \"Game\", \"cmdlines\": [\"x\"]}\n"
		"not a rule\n{\"name\": \"\", \"type\": \"Game\", \"nice\": 7}\n\n\n"
		"{\"name\": \"n\\n\\u001b[31m\", \"type\": \"None\"}\n"
		"{\"name\": \"o\", \"type\": \"OOM_KILL\"}\n"
		"{\"name\": \"p\", \"type\": \"Game\", \"nice\": 20, \"ionice\": 1.5, \"sched\": \"isolated\", \"ioclass\": 2}\n"
		"{\"name\": \"MAIN.exe\", \"type\": \"Game\"}\n";
	static const char *const said[] = {
		"6 rules in 2 files, 3 of them imported\n",
		"a.rules:1: cmdlines: left out: not supported, or no valid value\na.rules:2: left out: no JSON object\n",
		"a.rules:3: left out: no program can have this name\na.rules:8: nice: left out: not supported, or no valid value\n",
		"a.rules:8: ionice: left out: not supported, or no valid value\na.rules:8: sched: left out: not supported, or no valid value\n",
		"a.rules:6: n\\n\\x1b[31m: left out: no class for its type or values\n",
	};
	struct import import;

	import_text(&import, rules, strlen(rules));
	for (size_t i = 0; i < COUNT(said); i++)
		check_said(&import, said[i]);
	import_clear(&import);
	import_text(&import, "# none\n{\"type\": 3}\n[]\n", 22);
	assert_null(import.text);
	check_said(&import, "a.rules:2: left out: neither a name nor a type\na.rules:3: left out: no JSON object\n");
	import_clear(&import);
	/* cJSON would take the name for that of another program. */
	import_text(&import, "{\"name\": \"a\\u0000b\", \"type\": \"Game\"}\n{\"name\": \"a\0b\", \"type\": \"Game\"}\n", 69);
	assert_null(import.text);
	check_said(&import, "a.rules:1: left out: a name has no NUL\na.rules:2: left out: a name has no NUL\n");
	import_clear(&import);
}
