/* SPDX-License-Identifier: GPL-2.0-only */
/* What JSON text is taken, what is refused and where, and that every node knows its place. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/config/json_read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A copy without a NUL at its end, so that the sanitizer sees any step too far. */
static int parse(const char *text, size_t size, struct json_doc **doc, struct json_problem *problem,
		 struct json_position *ret_at)
{
	char *copy = malloc(size ? size : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, text, size);
	r = json_parse(copy, size, doc, problem);
	*ret_at = problem->at;
	free(copy);
	return r;
}

static struct json_doc *good(const char *text)
{
	struct json_doc *doc = NULL;
	struct json_problem problem = { .message = "" };
	struct json_position at;
	int r = parse(text, strlen(text), &doc, &problem, &at);

	if (r < 0)
		print_error("%s: %s\n", text, problem.message);
	assert_int_equal(r, 0);
	return doc;
}

struct bad {
	const char *text;
	unsigned line, column;
	const char *message; /* a part of it */
	size_t size;	     /* 0: strlen */
};

static void check_bad(const struct bad *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct bad *bad = &cases[i];
		struct json_problem problem = { .message = "" };
		struct json_position at = { 0 };
		struct json_doc *doc = NULL;
		int r = parse(bad->text, bad->size ? bad->size : strlen(bad->text), &doc, &problem,
			      &at);

		if (r != -EINVAL || at.line != bad->line || at.column != bad->column ||
		    !strstr(problem.message, bad->message))
			fail_msg("%s\n  gave %d at %u:%u: %s\n  not at %u:%u: %s", bad->text, r,
				 at.line, at.column, problem.message, bad->line, bad->column,
				 bad->message);
		assert_null(doc);
	}
}

static void comments_are_spaces(void **state)
{
	struct json_doc *doc = good("// one\n{ /* two\n lines */ \"a\": 1, // \u00fcml\u00e4ut\r\n"
				    "\"b//\": \"/* no comment */\" } /**/ //");
	const cJSON *a = doc->root->child, *b = a->next;

	(void)state;
	assert_int_equal(json_place(doc, a)->key.line, 3);
	assert_int_equal(json_place(doc, a)->key.column, 11);
	assert_string_equal(b->string, "b//");
	assert_string_equal(b->valuestring, "/* no comment */");
	assert_int_equal(json_place(doc, b)->value.line, 4);
	json_free(doc);
}

/* What stands there. */
static const char *text_at(const char *text, struct json_position at)
{
	while (--at.line)
		text = strchr(text, '\n') + 1;
	return text + at.column - 1;
}

static void every_node_has_its_place(void **state)
{
	static const char text[] = "{\"a\" : {\"b\":[ 1,{}, [], \"x\\\"]\" , null]},\n"
				   " \"a\":true , \"\\u0061\":-2.5e3}";
	static const struct {
		const char *key, *value;
		unsigned line, column; /* of the value */
		const char *path;
	} want[] = {
		{ "{", "{", 1, 1, "" },
		{ "\"a\" :", "{\"b\"", 1, 8, "a" },
		{ "\"b\":", "[ 1", 1, 13, "a.b" },
		{ "1,", "1,", 1, 15, "a.b[0]" },
		{ "{}", "{}", 1, 17, "a.b[1]" },
		{ "[]", "[]", 1, 21, "a.b[2]" },
		{ "\"x\\\"]\"", "\"x\\\"]\"", 1, 25, "a.b[3]" },
		{ "null", "null", 1, 34, "a.b[4]" },
		{ "\"a\":true", "true", 2, 6, "a" },
		{ "\"\\u0061\"", "-2.5e3", 2, 22, "a" },
	};
	struct json_doc *doc = good(text);

	(void)state;
	assert_int_equal(doc->n_places, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		const struct json_place *place = &doc->places[i];
		struct json_position at = place->value;
		char *path = json_path(doc, place->node);

		assert_ptr_equal(json_place(doc, place->node), place);
		assert_memory_equal(text_at(text, place->key), want[i].key, strlen(want[i].key));
		assert_memory_equal(text_at(text, place->value), want[i].value, strlen(want[i].value));
		assert_int_equal(at.line, want[i].line);
		assert_int_equal(at.column, want[i].column);
		assert_string_equal(path, want[i].path);
		free(path);
	}
	json_free(doc);
}

static void paths_quote_what_is_no_plain_word(void **state)
{
	struct json_doc *doc =
		good("{\"g++-12\": 1, \"firefox.exe\": {\"x\": 1}, \"\": 1, \"a b\": [1]}");
	static const char *const paths[] = {
		"",	  "g++-12",    "[\"firefox.exe\"]", "[\"firefox.exe\"].x",
		"[\"\"]", "[\"a b\"]", "[\"a b\"][0]",
	};

	(void)state;
	assert_int_equal(doc->n_places, COUNT(paths));
	for (size_t i = 0; i < COUNT(paths); i++) {
		char *path = json_path(doc, doc->places[i].node);

		assert_string_equal(path, paths[i]);
		free(path);
	}
	json_free(doc);
}

static void types_have_names(void **state)
{
	struct json_doc *doc = good("[{}, [], \"\", 1, true, false, null]");
	static const char *const names[] = {
		"a list",   "an object",     "a list",	      "a string",
		"a number", "true or false", "true or false", "null",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(json_type_name(doc->places[i].node), names[i]);
	json_free(doc);
}

static void integers_are_exact(void **state)
{
	struct json_doc *doc = good("[9223372036854775807, -9223372036854775808, "
				    "9223372036854775808, 9007199254740993, 1.0, 1e6, 1E6, -0]");
	static const struct {
		int r;
		int64_t value;
	} want[] = {
		{ 0, INT64_MAX }, { 0, INT64_MIN }, { -ERANGE, 0 }, { 0, 9007199254740993 },
		{ -EINVAL, 0 },	  { -EINVAL, 0 },   { -EINVAL, 0 }, { 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		int64_t value = 0;

		assert_int_equal(json_integer(doc->places[i + 1].node, INT64_MIN, INT64_MAX,
					      &value),
				 want[i].r);
		assert_true(value == want[i].value);
	}
	json_free(doc);
}

static void integers_keep_to_their_range(void **state)
{
	struct json_doc *doc = good("[19, 20, -20, -21]");
	int64_t value;

	(void)state;
	assert_int_equal(json_integer(doc->places[1].node, -20, 19, &value), 0);
	assert_int_equal(json_integer(doc->places[2].node, -20, 19, &value), -ERANGE);
	assert_int_equal(json_integer(doc->places[3].node, -20, 19, &value), 0);
	assert_int_equal(json_integer(doc->places[4].node, -20, 19, &value), -ERANGE);
	json_free(doc);
}

static void good_texts(void **state)
{
	static const char *const texts[] = {
		"{}",
		" \r\n\t[ ] ",
		"\xef\xbb\xbf{}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\ude00\"",
		"[0, -0, 10, 1.5, 1e5, 1E+5, 1.25e-7, true, false, null]",
		"\"\u00e9\u20ac\U0001f600 \x7f\"",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		json_free(good(texts[i]));
}

static void escapes_are_what_they_stand_for(void **state)
{
	struct json_doc *doc = good("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u007f\\u0080\\u07FF\\u0800\\uffff\", "
				    "\"<\\uD83D\\ude00\\ud800\\udc00\\udbff\\udfff>\"]");
	static const char *const want[] = {
		"\"\\/\b\f\n\r\t",
		"A\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf",
		"<\xf0\x9f\x98\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf>",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++)
		assert_string_equal(doc->places[i + 1].node->valuestring, want[i]);
	json_free(doc);
}

static void bad_words(void **state)
{
	static const struct bad cases[] = {
		{ "{\"a\": tru}", 1, 7, "double quotes: \"tru\"", 0 },
		{ "{\"a\": True}", 1, 7, "lower case: true", 0 },
		{ "{\"a\": QOS_UTILITY}", 1, 7, "double quotes: \"QOS_UTILITY\"", 0 },
		{ "{qos : 1}", 1, 2, "keys must be in double quotes: \"qos\"", 0 },
		{ "{'a': 1}", 1, 2, "straight double quotes", 0 },
		{ "{\u201ca\u201d: 1}", 1, 2, "straight double quotes", 0 },
		{ "# c\n{}", 1, 1, "a comment begins with //", 0 },
		{ "{}\n/ c", 2, 1, "a comment begins with //", 0 },
		{ "[01]", 1, 2, "not a number", 0 },
		{ "[-]", 1, 2, "not a number", 0 },
		{ "[+1]", 1, 2, "not a number", 0 },
		{ "[1.]", 1, 2, "not a number", 0 },
		{ "[.5]", 1, 2, "not a number", 0 },
		{ "[1e]", 1, 2, "not a number", 0 },
		{ "[0x10]", 1, 2, "not a number", 0 },
		{ "[-01]", 1, 2, "not a number", 0 },
		{ "[1234567890123456789012345678901234567890123456789012345678901234]", 1, 2,
		  "more than 63", 0 },
		{ "[xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]", 1, 2,
		  "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"", 0 },
	};

	(void)state;
	check_bad(cases, COUNT(cases));
}

static void bad_bytes(void **state)
{
	static const struct bad cases[] = {
		{ "{\x01}", 1, 2, "control character 0x01", 0 },
		{ "{\x7f}", 1, 2, "control character 0x7f", 0 },
		{ "{\"a\": \"x\0y\"}", 1, 9, "control character", 12 },
		{ "{}\0", 1, 3, "control character 0x00", 3 },
		{ "{\"a\": \"x\ty\"}", 1, 9, "control character 0x09 in a string", 0 },
		{ "{\"a\": \"x\xffy\"}", 1, 9, "invalid UTF-8 in a string", 0 },
		{ "{\"a\": \"\xc0\xaf\"}", 1, 8, "invalid UTF-8 in a string", 0 },
		{ "{\"a\": x\xe2\x82}", 1, 8, "invalid UTF-8", 0 },
		{ "// \xed\xa0\x80\n{}", 1, 4, "invalid UTF-8 in a comment", 0 },
		{ "/* \x1b[0m */{}", 1, 4, "control character 0x1b in a comment", 0 },
		{ "{}\n/* x", 2, 1, "comment is not closed", 0 },
		{ "{}/*/", 1, 3, "comment is not closed", 0 },
		{ "{}/", 1, 3, "a comment begins with //", 0 },
	};

	(void)state;
	check_bad(cases, COUNT(cases));
}

static void bad_strings(void **state)
{
	static const struct bad cases[] = {
		{ "{\"a\": \"x", 1, 7, "string is not closed", 0 },
		{ "{\"a\": \"x\n\"}", 1, 7, "not closed on its line", 0 },
		{ "{\"a\": \"x\r\n\"}", 1, 7, "not closed on its line", 0 },
		{ "[\"\\q\"]", 1, 3, "unknown escape", 0 },
		{ "[\"\\", 1, 3, "unknown escape", 0 },
		{ "[\"\\u12g4\"]", 1, 3, "four hexadecimal digits", 0 },
		{ "[\"\\u12", 1, 3, "four hexadecimal digits", 0 },
		{ "[\"a\\u0000\"]", 1, 4, "\\u0000 is not allowed", 0 },
		{ "[\"\\ud800\"]", 1, 3, "surrogate", 0 },
		{ "[\"\\udc00\\ud800\"]", 1, 3, "surrogate", 0 },
		{ "[\"\\ud800\\u0041\"]", 1, 3, "surrogate", 0 },
	};

	(void)state;
	check_bad(cases, COUNT(cases));
}

static void bad_sentences(void **state)
{
	static const struct bad cases[] = {
		{ "", 1, 1, "empty: write {}", 0 },
		{ " \n// nothing\n", 1, 1, "empty: write {}", 0 },
		{ "{\"a\": 1\n \"b\": 2}", 2, 2, "a comma is missing before this", 0 },
		{ "[1 2]", 1, 4, "a comma is missing before this", 0 },
		{ "[{} {}]", 1, 5, "a comma is missing before this", 0 },
		{ "{\"a\": 1,\n}", 1, 8, "trailing comma", 0 },
		{ "[1,]", 1, 3, "trailing comma", 0 },
		{ "[,1]", 1, 2, "a value expected, not ,", 0 },
		{ "[1,,2]", 1, 4, "a value expected, not ,", 0 },
		{ "{,}", 1, 2, "a key expected, not ,", 0 },
		{ "{1: 2}", 1, 2, "keys must be in double quotes", 0 },
		{ "{\"a\"}", 1, 5, "\":\" and the key's value expected", 0 },
		{ "{\"a\" 1}", 1, 6, "\":\" and the key's value expected", 0 },
		{ "{\"a\":}", 1, 6, "a value expected, not }", 0 },
		{ "{\"a\": 1: 2}", 1, 8, "\",\" or \"}\" expected", 0 },
		{ "[1: 2]", 1, 3, "\",\" or \"]\" expected", 0 },
		{ "{\"a\": [1}", 1, 9, "does not close the \"[\" opened at 1:7", 0 },
		{ "\n{\"a\": 1]", 2, 8, "does not close the \"{\" opened at 2:1", 0 },
		{ "{\"a\": {\"b\": 1}\n", 2, 1, "the \"{\" opened at 1:1 is not closed", 0 },
		{ "{\"a\":\n[1", 2, 3, "the \"[\" opened at 2:1 is not closed", 0 },
		{ "{} {}", 1, 4, "more text after the end", 0 },
		{ "{}, 1", 1, 3, "more text after the end", 0 },
		{ "{}}", 1, 3, "\"}\" closes nothing", 0 },
		{ "]", 1, 1, "a value expected, not ]", 0 },
		{ "[\"a\" \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"]", 1, 6,
		  "a comma is missing", 0 },
		{ "{\"a\" \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"}", 1, 6,
		  "\":\" and the key's value expected", 0 },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", 1, 33,
		  "deeper than 32", 0 },
	};

	(void)state;
	check_bad(cases, COUNT(cases));
}

/* Words are checked before sentences, but people read from the start. */
static void the_first_fault_is_told(void **state)
{
	static const struct bad cases[] = {
		{ "{\"a\": 1 \"b\": 2,\n \"c\": tru}", 1, 9, "a comma is missing", 0 },
		{ "{\"a\": 1,\n \"c\": tru, \"d\" 1}", 2, 7, "double quotes", 0 },
		{ "{\"a\": 1 \"b\\q\": 2}", 1, 9, "a comma is missing", 0 },
	};

	(void)state;
	check_bad(cases, COUNT(cases));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(comments_are_spaces),
		cmocka_unit_test(every_node_has_its_place),
		cmocka_unit_test(paths_quote_what_is_no_plain_word),
		cmocka_unit_test(types_have_names),
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(integers_keep_to_their_range),
		cmocka_unit_test(good_texts),
		cmocka_unit_test(escapes_are_what_they_stand_for),
		cmocka_unit_test(bad_words),
		cmocka_unit_test(bad_bytes),
		cmocka_unit_test(bad_strings),
		cmocka_unit_test(bad_sentences),
		cmocka_unit_test(the_first_fault_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
