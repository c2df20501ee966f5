/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes JSON for people and programs: one item per line, indented with tabs. */
#pragma once

#include <stdint.h>

#include <schedqos/util/text.h>

/*
 * Initialise it to all zeroes, or with in_line = 1 to write everything on one line. A failed allocation is remembered,
 * so only the result of json_take needs a check.
 */
struct json_writer {
	struct text_buf text;
	unsigned depth;
	bool has_items; /* the innermost open bracket has items */
	unsigned in_line; /* number of open brackets, counted from the one that json_begin_in_line opened */
};

/*
 * Open and close an object ('{') or a list ('['). In all functions here, key is NULL within a list and for the
 * outermost value.
 */
void json_begin(struct json_writer *json, const char *key, char bracket);
void json_end(struct json_writer *json, char bracket);

/* Opens an object or list that is written on one line, as in { "a": 1, "b": 2 }. */
void json_begin_in_line(struct json_writer *json, const char *key, char bracket);

/*
 * Writes a string; does nothing if `value` is NULL. Characters that must not reach a terminal or a log become \u
 * escapes. Bytes that are not valid UTF-8 are written unchanged, because JSON has no escape for them: a caller that
 * shows the text to people must pass it through text_escape first.
 */
void json_put_text(struct json_writer *json, const char *key, const char *value);
/* The same with the text escaped for people (text_escape). */
void json_put_escaped(struct json_writer *json, const char *key, const char *value);

void json_put_number(struct json_writer *json, const char *key, int64_t value);
void json_put_count(struct json_writer *json, const char *key, uint64_t value);
void json_put_bool(struct json_writer *json, const char *key, bool value);
void json_put_null(struct json_writer *json, const char *key);

/* Returns the text with a final newline, which the caller frees, or NULL if memory ran out. Empties `json`. */
char *json_take(struct json_writer *json);
