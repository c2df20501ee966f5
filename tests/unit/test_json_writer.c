/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that numbers are written with all digits, and texts so that any reader and terminal accepts them. */

#include "test.h"

#include <cjson/cJSON.h>

#include <schedqos/util/json_writer.h>

static void written(struct json_writer *json, const char *want)
{
	char *text = json_take(json);

	assert_string_equal(text, want);
	free(text);
}

TEST(each_item_has_its_own_line)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	json_put_text(&json, "a", "x");
	/* A NULL text is left out. */
	json_put_text(&json, "b", NULL);
	json_begin(&json, "list", '[');
	json_put_number(&json, NULL, 1);
	json_begin(&json, NULL, '{');
	json_end(&json, '}');
	json_put_null(&json, NULL);
	json_end(&json, ']');
	json_begin(&json, "none", '[');
	json_end(&json, ']');
	json_put_bool(&json, "yes", true);
	json_put_bool(&json, "no", false);
	json_end(&json, '}');
	written(&json, "{\n\t\"a\": \"x\",\n\t\"list\": [\n\t\t1,\n\t\t{},\n\t\tnull\n\t],\n\t\"none\": [],\n"
		       "\t\"yes\": true,\n\t\"no\": false\n}\n");
	json_begin(&json, NULL, '{');
	json_begin_in_line(&json, "a", '{');
	json_put_text(&json, "b", "x");
	json_begin(&json, "c", '[');
	json_put_null(&json, NULL);
	json_end(&json, ']');
	json_end(&json, '}');
	json_put_null(&json, "d");
	json_end(&json, '}');
	written(&json, "{\n\t\"a\": { \"b\": \"x\", \"c\": [ null ] },\n\t\"d\": null\n}\n");
	/* The writer can be used again. */
	json_put_text(&json, NULL, "whole");
	written(&json, "\"whole\"\n");
}

TEST(numbers_are_written_exactly)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '[');
	json_put_number(&json, NULL, INT64_MIN);
	json_put_number(&json, NULL, INT64_MAX);
	json_put_count(&json, NULL, UINT64_MAX);
	json_end(&json, ']');
	written(&json, "[\n\t-9223372036854775808,\n\t9223372036854775807,\n\t18446744073709551615\n]\n");
}

TEST(texts_are_escaped)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "plain \u00e4 \u20ac \U0001f600", "\"plain \u00e4 \u20ac \U0001f600\"\n" },
		{ "\"\\/", "\"\\\"\\\\/\"\n" },
		{ "\n\t\x1b[2J\x7f", "\"\\u000a\\u0009\\u001b[2J\\u007f\"\n" },
		{ "\xc2\x85\u202e", "\"\\u0085\\u202e\"\n" },
		{ "\U000e0001", "\"\\udb40\\udc01\"\n" },
		{ "\xff\xc3", "\"\xff\xc3\"\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json_writer json = { 0 };

		json_put_text(&json, NULL, cases[i].text);
		written(&json, cases[i].want);
	}
}

/* The bytes may have any value. */
TEST(written_texts_are_read_back_unchanged)
{
	struct json_writer json = { 0 };
	char bytes[256], *text;
	cJSON *read;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i + 1);
	json_put_text(&json, NULL, bytes);
	text = json_take(&json);
	read = cJSON_Parse(text);
	assert_string_equal(cJSON_GetStringValue(read), bytes);
	cJSON_Delete(read);
	free(text);
}
