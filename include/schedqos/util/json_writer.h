/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON for people and programs: one item per line, indented with tabs. */
#pragma once

#include <stdint.h>

#include <schedqos/util/text.h>

/*
 * Starts as all zeroes, or with in_line 1: all of it is on one line. A failed allocation is remembered, so that only
 * json_take has to be checked.
 */
struct json_writer {
	struct text_buf text;
	unsigned depth;
	bool has_items; /* the innermost open bracket has some */
	unsigned in_line; /* open brackets from the one that is to stay in its line on */
};

/* An object, '{', or a list, '['. In all of these: key is NULL in a list and for the outermost value. */
void json_begin(struct json_writer *json, const char *key, char bracket);
void json_end(struct json_writer *json, char bracket);

/* The same, but all that is in it stays in the line in which it begins, as in { "a": 1, "b": 2 }. */
void json_begin_in_line(struct json_writer *json, const char *key, char bracket);

/*
 * A value of NULL is left out. Characters that should not reach a terminal or a log are written as \u escapes. Bytes
 * that are not UTF-8 stay as they are, since JSON has no escape for them: a caller that prints them to people escapes
 * them first.
 */
void json_put_text(struct json_writer *json, const char *key, const char *value);
void json_put_number(struct json_writer *json, const char *key, int64_t value);
void json_put_count(struct json_writer *json, const char *key, uint64_t value);
void json_put_bool(struct json_writer *json, const char *key, bool value);
void json_put_null(struct json_writer *json, const char *key);

/* The text, with a newline at its end, which the caller frees; NULL if memory ran out. json is empty afterwards. */
char *json_take(struct json_writer *json);
