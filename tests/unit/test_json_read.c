/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which JSON text is accepted, where other text is refused, and that every node knows its place. */
#include "test.h"

#include <errno.h>

#include "../../src/config/config_private.h"

static struct arena *arena;

static int teardown(void **state)
{
	(void)state;
	arena_free(arena);
	arena = NULL;
	return 0;
}

/* Parses a copy without a NUL at its end, so that the sanitizer finds any read beyond it. */
static int parse(const char *text, size_t size, const struct json_node **ret, struct json_problem *problem)
{
	char *copy = malloc(size ? size : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, text, size);
	r = json_parse(&arena, copy, size, ret, problem);
	free(copy);
	return r;
}

static const struct json_node *good(const char *text)
{
	const struct json_node *root = NULL;
	struct json_problem problem = { .message = "" };
	int r = parse(text, strlen(text), &root, &problem);

	if (r < 0)
		fail_msg("%s: %s\n", text, problem.message);
	return root;
}

#define TEST_JSON_READ_TEST(name) TEST_IN(name, NULL, teardown)

TEST_JSON_READ_TEST(valid_texts_are_accepted)
{
	static const char *const texts[] = {
		"{}",
		" \r\n\t[ ] ",
		"\xef\xbb\xbf{}",
		"// one\n{ /* two\n lines */ \"a\": 1, // \u00fcml\u00e4ut\r\n \"b//\": \"/* no comment */\" } /**/ //",
		"[0, -0, 10, 1.5, 1e5, 1E+5, 1.25e-7, true, false, null]",
		"\"\u00e9\u20ac\U0001f600 \x7f\"",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	};

	for (size_t i = 0; i < array_size(texts); i++)
		good(texts[i]);
}

TEST_JSON_READ_TEST(a_byte_order_mark_takes_no_column)
{
	assert_int_equal(json_first(good("\xef\xbb\xbf{ \"x\": 1 }"))->at.column, 8);
}

/* Returns the text at a position. */
static const char *text_at(const char *text, struct json_position at)
{
	while (--at.line)
		text = strchr(text, '\n') + 1;
	return text + at.column - 1;
}

/* Returns the next node in the order of the text, NULL after the last. */
static const struct json_node *json_after(const struct json_node *node)
{
	if (json_first(node))
		return json_first(node);
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

TEST_JSON_READ_TEST(every_node_has_its_type_place_and_path)
{
	static const char text[] = "{\"a\" : {\"b\":[ 1,{}, /* [\n{ */ [], \"x\\\"]\" , null]}, // }\n"
				   " \"a\":true , \"\\u0061\":-2.5e3, \"g++-12\": false,\n"
				   "\"firefox.exe\": {\"x\": 1},\"\": 1, \"a b//\": [\"/* */\"]}";
	static const struct {
		const char *key, *value; /* the text at the places of key and value */
		const char *path, *type;
	} want[] = {
		{ "{", "{", "", "an object" },
		{ "\"a\" :", "{\"b\"", "a", "an object" },
		{ "\"b\":", "[ 1", "a.b", "a list" },
		{ "1,", "1,", "a.b[0]", "a number" },
		{ "{}", "{}", "a.b[1]", "an object" },
		{ "[]", "[]", "a.b[2]", "a list" },
		{ "\"x\\\"]\"", "\"x\\\"]\"", "a.b[3]", "a string" },
		{ "null", "null", "a.b[4]", "null" },
		{ "\"a\":true", "true", "a", "true or false" },
		{ "\"\\u0061\"", "-2.5e3", "a", "a number" },
		{ "\"g++", "false", "g++-12", "true or false" },
		{ "\"firefox", "{\"x\"", "[\"firefox.exe\"]", "an object" },
		{ "\"x\"", "1}", "[\"firefox.exe\"].x", "a number" },
		{ "\"\"", "1, \"a", "[\"\"]", "a number" },
		{ "\"a b", "[\"/*", "[\"a b//\"]", "a list" },
		{ "\"/* ", "\"/* ", "[\"a b//\"][0]", "a string" },
	};
	const struct json_node *node = good(text);

	for (size_t i = 0; i < array_size(want); i++, node = json_after(node)) {
		char *path = json_path(node);

		assert_non_null(node);
		assert_memory_equal(text_at(text, node->key_at), want[i].key, strlen(want[i].key));
		assert_memory_equal(text_at(text, node->at), want[i].value, strlen(want[i].value));
		assert_string_equal(path, want[i].path);
		assert_string_equal(json_type_name(node), want[i].type);
		free(path);
	}
	assert_null(node);
}

TEST_JSON_READ_TEST(integers_are_exact)
{
	static const struct {
		const char *text;
		int64_t min, max;
		int r;
		int64_t value;
	} cases[] = {
		{ "9223372036854775807", INT64_MIN, INT64_MAX, 0, INT64_MAX },
		{ "-9223372036854775808", INT64_MIN, INT64_MAX, 0, INT64_MIN },
		{ "9223372036854775808", INT64_MIN, INT64_MAX, -ERANGE, 0 },
		{ "9007199254740993", INT64_MIN, INT64_MAX, 0, 9007199254740993 },
		{ "-0", INT64_MIN, INT64_MAX, 0, 0 },
		{ "1234567890123456789012345678901234567890123456789012345678901234", INT64_MIN, INT64_MAX, -ERANGE, 0 },
		{ "1.0", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "1e6", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "1.", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "01", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "-01", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "0x10", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "8ms", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "-", INT64_MIN, INT64_MAX, -EINVAL, 0 },
		{ "19", -20, 19, 0, 19 },
		{ "20", -20, 19, -ERANGE, 0 },
		{ "-20", -20, 19, 0, -20 },
		{ "-21", -20, 19, -ERANGE, 0 },
	};

	for (size_t i = 0; i < array_size(cases); i++) {
		int64_t value = 0;

		assert_int_equal(json_integer(good(cases[i].text), cases[i].min, cases[i].max, &value), cases[i].r);
		assert_true(value == cases[i].value);
	}
}

TEST_JSON_READ_TEST(escapes_are_replaced)
{
	static const char *const cases[][2] = {
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t.\"", "\"\\/\b\f\n\r\t." },
		{ "\"\\u0041\\u007f\\u0080\\u07FF\\u0800\\uffff\"", "A\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf" },
		{ "\"<\\uD83D\\ude00\\ud800\\udc00\\udbff\\udfff>\"", "<\xf0\x9f\x98\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf>" },
	};

	for (size_t i = 0; i < array_size(cases); i++)
		assert_string_equal(good(cases[i][0])->text, cases[i][1]);
	assert_string_equal(good("{\"\\u0061 b\": 1}")->child->key, "a b");
}

#define T(text) text, sizeof(text) - 1

static const struct {
	const char *text;
	size_t size;
	unsigned line, column;
	const char *message; /* a part of the message */
} bad[] = {
	/* words */
	{ T("{\"a\": tru}"), 1, 7, "double quotes: \"tru\"" },
	{ T("{\"a\": True}"), 1, 7, "lower case: true" },
	{ T("{\"a\": QOS_UTILITY}"), 1, 7, "double quotes: \"QOS_UTILITY\"" },
	{ T("{\"a\": yes}"), 1, 7, "must be true or false" },
	{ T("{qos : 1}"), 1, 2, "keys must be in double quotes: \"qos\"" },
	{ T("{'a': 1}"), 1, 2, "straight double quotes" },
	{ T("{\u201ca\u201d: 1}"), 1, 2, "straight double quotes" },
	{ T("# c\n{}"), 1, 1, "a comment begins with //" },
	{ T("{}\n/ c"), 2, 1, "a comment begins with //" },
	{ T("[+1]"), 1, 2, "not a number as JSON writes it: +1" },
	{ T("[.5]"), 1, 2, "not a number" },
	{ T("[nan]"), 1, 2, "not a number" },
	{ T("[xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]"), 1, 2, "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"" },
	/* bytes */
	{ T("{\x01}"), 1, 2, "control character 0x01" },
	{ T("{\x7f}"), 1, 2, "keys must be in double quotes" },
	{ T("{\"a\": \"x\0y\"}"), 1, 9, "control character" },
	{ T("{}\0"), 1, 3, "control character 0x00" },
	{ T("{\"a\": \"x\ty\"}"), 1, 9, "a tab in a string has to be written as a backslash and t" },
	{ T("{\"a\": \"x\xffy\"}"), 1, 9, "invalid UTF-8" },
	{ T("{\"a\": \"\xc0\xaf\"}"), 1, 8, "invalid UTF-8" },
	{ T("[1, \xe2\x82]"), 1, 5, "invalid UTF-8" },
	{ T("// \xed\xa0\x80\n{}"), 1, 4, "invalid UTF-8" },
	{ T("/* \x1b[0m */{}"), 1, 4, "control character 0x1b" },
	{ T("{}\n/* x"), 2, 1, "comment is not closed" },
	{ T("{}/*/"), 1, 3, "comment is not closed" },
	{ T("{}/"), 1, 3, "a comment begins with //" },
	/* strings */
	{ T("{\"a\": \"x"), 1, 7, "string is not closed" },
	{ T("{\"a\": \"x\n\"}"), 1, 7, "not closed on its line" },
	{ T("{\"a\": \"x\r\n\"}"), 1, 7, "not closed on its line" },
	{ T("[\"\\q\"]"), 1, 3, "unknown escape" },
	{ T("[\"\\"), 1, 3, "unknown escape" },
	{ T("[\"\\u12g4\"]"), 1, 3, "four hexadecimal digits" },
	{ T("[\"\\u12"), 1, 3, "four hexadecimal digits" },
	{ T("[\"a\\u0000\"]"), 1, 4, "the character 0 is not allowed" },
	{ T("[\"\\ud800\"]"), 1, 3, "surrogate" },
	{ T("[\"\\n\u00fc\\ud800 \\u0041\"]"), 1, 7, "surrogate" },
	{ T("[\"\\\\u0000\\\\\\u0000\"]"), 1, 12, "the character 0 is not allowed" },
	{ T("[\"\\udc00\\ud800\"]"), 1, 3, "surrogate" },
	{ T("[\"\\ud800\\u0041\"]"), 1, 3, "surrogate" },
	/* sentences */
	{ T(""), 1, 1, "empty: write {}" },
	{ T(" \n// nothing\n"), 1, 1, "empty: write {}" },
	{ T("{\"a\": 1\n \"b\": 2}"), 2, 2, "a comma is missing before this" },
	{ T("[1 2]"), 1, 4, "a comma is missing before this" },
	{ T("[{} {}]"), 1, 5, "a comma is missing before this" },
	{ T("{\"a\": 1,\n}"), 1, 8, "trailing comma" },
	{ T("[1,]"), 1, 3, "trailing comma" },
	{ T("[,1]"), 1, 2, "a value expected, not ," },
	{ T("[1,,2]"), 1, 4, "a value expected, not ," },
	{ T("{,}"), 1, 2, "a key expected, not ," },
	{ T("{1: 2}"), 1, 2, "keys must be in double quotes" },
	{ T("{\"a\"}"), 1, 5, "\":\" and the key's value expected" },
	{ T("{\"a\" 1}"), 1, 6, "\":\" and the key's value expected" },
	{ T("{\"a\":}"), 1, 6, "a value expected, not }" },
	{ T("{\"a\": 1: 2}"), 1, 8, "\",\" or \"}\" expected" },
	{ T("[1: 2]"), 1, 3, "\",\" or \"]\" expected" },
	{ T("{\"a\": [1}"), 1, 9, "does not close the \"[\" opened at 1:7" },
	{ T("\n{\"a\": 1]"), 2, 8, "does not close the \"{\" opened at 2:1" },
	{ T("{\"a\": {\"b\": 1}\n"), 2, 1, "the \"{\" opened at 1:1 is not closed" },
	{ T("{\"a\":\n[1"), 2, 3, "the \"[\" opened at 2:1 is not closed" },
	{ T("{} {}"), 1, 4, "more text after the end" },
	{ T("{}, 1"), 1, 3, "more text after the end" },
	{ T("{}}"), 1, 3, "more text after the end" },
	{ T("]"), 1, 1, "a value expected, not ]" },
	{ T("[\"a\" \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"]"), 1, 6, "a comma is missing" },
	{ T("{\"a\" \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"}"), 1, 6, "\":\" and the key's value expected" },
	{ T("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"), 1, 33, "deeper than 32" },
	/* of two faults the first is reported, but invalid bytes before all others */
	{ T("{\"a\": 1 \"b\": 2,\n \"c\": tru}"), 1, 9, "a comma is missing" },
	{ T("{\"a\": 1,\n \"c\": tru, \"d\" 1}"), 2, 7, "double quotes" },
	{ T("{\"a\": 1 \"b\\q\": 2}"), 1, 9, "a comma is missing" },
	{ T("{\"\\n\\n\":\n1 \"b\": 2,\n \"c\": \"\xff\"}"), 3, 8, "invalid UTF-8" },
	{ T("{\"\\n\\n\":\n1 \"b\": 2}"), 2, 3, "a comma is missing" },
};

TEST_JSON_READ_TEST(faults_are_reported_at_their_place)
{
	for (size_t i = 0; i < array_size(bad); i++) {
		const char *text = bad[i].text;
		struct json_problem problem = { .message = "" };
		const struct json_node *root;
		int r = parse(text, bad[i].size, &root, &problem);

		if (r != -EINVAL || problem.at.line != bad[i].line || problem.at.column != bad[i].column ||
		    !strstr(problem.message, bad[i].message))
			fail_msg("%s\n  gave %d at %u:%u: %s\n  not at %u:%u: %s", text, r, problem.at.line, problem.at.column,
				 problem.message, bad[i].line, bad[i].column, bad[i].message);
	}
}
