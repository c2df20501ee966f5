/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/json_writer.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* Writes a \u escape; a surrogate pair for a character above 16 bits. */
static void put_escape(struct text_buf *text, uint32_t c)
{
	if (c > 0xffff) {
		put_escape(text, 0xd800 + ((c - 0x10000) >> 10));
		c = 0xdc00 + ((c - 0x10000) & 0x3ff);
	}
	text_buf_printf(text, "\\u%04x", c);
}

/* A character that text_escape leaves unchanged is safe to show, and valid in JSON unless it is a quote. */
static void put_string(struct text_buf *text, const char *s)
{
	size_t left = strlen(s), n;
	char shown[8];

	text_buf_put(text, "\"", 1);
	for (; left; s += n, left -= n) {
		n = text_utf8_length(s, left);
		if (n == 0)
			text_buf_put(text, s, n = 1);
		else if (*s == '"' || *s == '\\')
			text_buf_printf(text, "\\%c", *s);
		else if (strncmp(text_escape_to(shown, sizeof(shown), s, n), s, n) == 0)
			text_buf_put(text, s, n);
		else
			put_escape(text, text_utf8_decode(s, n));
	}
	text_buf_put(text, "\"", 1);
}

static void put_line(struct json_writer *json)
{
	if (json->in_line) {
		text_buf_put(&json->text, " ", 1);
		return;
	}
	text_buf_put(&json->text, "\n", 1);
	for (unsigned i = 0; i < json->depth; i++)
		text_buf_put(&json->text, "\t", 1);
}

/* Begins an item of the innermost open bracket. */
static void write_key(struct json_writer *json, const char *key)
{
	if (json->has_items)
		text_buf_put(&json->text, ",", 1);
	if (json->depth)
		put_line(json);
	if (key) {
		put_string(&json->text, key);
		text_buf_put(&json->text, ": ", 2);
	}
	json->has_items = true;
}

void json_begin(struct json_writer *json, const char *key, char bracket)
{
	write_key(json, key);
	text_buf_put(&json->text, &bracket, 1);
	json->depth++;
	json->has_items = false;
	if (json->in_line)
		json->in_line++;
}

void json_begin_in_line(struct json_writer *json, const char *key, char bracket)
{
	json_begin(json, key, bracket);
	if (!json->in_line)
		json->in_line = 1;
}

void json_end(struct json_writer *json, char bracket)
{
	json->depth--;
	if (json->has_items)
		put_line(json);
	text_buf_put(&json->text, &bracket, 1);
	json->has_items = true;
	if (json->in_line)
		json->in_line--;
}

void json_put_text(struct json_writer *json, const char *key, const char *value)
{
	if (!value)
		return;
	write_key(json, key);
	put_string(&json->text, value);
}

void json_put_escaped(struct json_writer *json, const char *key, const char *value)
{
	_cleanup_free_ char *safe = value ? text_escape(value, strlen(value)) : NULL;

	json->text.failed |= value && !safe;
	json_put_text(json, key, safe);
}

void json_put_number(struct json_writer *json, const char *key, int64_t value)
{
	write_key(json, key);
	text_buf_printf(&json->text, "%" PRId64, value);
}

void json_put_count(struct json_writer *json, const char *key, uint64_t value)
{
	write_key(json, key);
	text_buf_printf(&json->text, "%" PRIu64, value);
}

void json_put_bool(struct json_writer *json, const char *key, bool value)
{
	write_key(json, key);
	text_buf_printf(&json->text, "%s", value ? "true" : "false");
}

void json_put_null(struct json_writer *json, const char *key)
{
	write_key(json, key);
	text_buf_put(&json->text, "null", 4);
}

char *json_take(struct json_writer *json)
{
	char *text;

	text_buf_put(&json->text, "\n", 1);
	text = text_buf_take(&json->text);
	*json = (struct json_writer){ 0 };
	return text;
}
