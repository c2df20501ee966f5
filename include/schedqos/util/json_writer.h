/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON for people and programs: an item a line, indented by tabs. */
#pragma once

#include <stdint.h>

#include <schedqos/util/text_buf.h>

/* Starts as all zeroes. A lack of memory is remembered, so that only the end has to be checked. */
struct json_writer {
	struct text_buf text;
	unsigned depth;
	bool has_items; /* the innermost open bracket has some */
};

/* An object, '{', or a list, '['. In all of these: key is NULL in a list, and for the whole. */
void json_begin(struct json_writer *json, const char *key, char bracket);
void json_end(struct json_writer *json, char bracket);

/*
 * A value of NULL is left out. What a terminal or a log should not see is written as JSON's \u; bytes that are no UTF-8,
 * for which JSON has no such form, stay as they are: who prints them to people escapes them first.
 */
void json_put_text(struct json_writer *json, const char *key, const char *value);
void json_put_number(struct json_writer *json, const char *key, int64_t value);
void json_put_count(struct json_writer *json, const char *key, uint64_t value);
void json_put_bool(struct json_writer *json, const char *key, bool value);
void json_put_null(struct json_writer *json, const char *key);

/* The text, with a newline at its end, which the caller frees; NULL when memory ran out. json is empty after. */
char *json_take(struct json_writer *json);
