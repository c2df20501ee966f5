/* SPDX-License-Identifier: GPL-2.0-only */
#include "json_scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define NUMBER_MAX  63
#define EXCERPT_MAX 40

struct json_position position_of(const struct reader *reader, const char *at)
{
	return (struct json_position){ .line = reader->line, .column = (unsigned)(at - reader->line_start) + 1 };
}

int refuse(const struct reader *reader, struct json_position at, const char *format, ...)
{
	va_list args;

	reader->problem->at = at;
	va_start(args, format);
	vsnprintf(reader->problem->message, JSON_MESSAGE_MAX, format, args);
	va_end(args);
	return -EINVAL;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* ---- white space and comments ---- */

/* One character, or none: a fault in what. */
static int pass(struct reader *reader, const char *what)
{
	const char c = *reader->at;
	const size_t length = text_utf8_length(reader->at, left(reader));

	if (length == 0)
		return refuse(reader, here(reader), "invalid UTF-8%s", what);
	if (is_control(c) && !is_space(c))
		return refuse(reader, here(reader), "control character 0x%02x%s", c, what);
	reader->at += length;
	if (c == '\n') {
		reader->line++;
		reader->line_start = reader->at;
	}
	return 0;
}

static int skip_comment(struct reader *reader)
{
	const char kind = *reader->at == '/' && left(reader) >= 2 ? reader->at[1] : '\0', *end;
	int r = 0;

	if (kind == '/') {
		end = memchr(reader->at, '\n', left(reader));
		end = end ? end : reader->end;
	} else if (kind == '*') {
		end = memmem(reader->at + 2, left(reader) - 2, "*/", 2);
		if (!end)
			return refuse(reader, here(reader), "comment is not closed: \"*/\" is missing");
		end += 2;
	} else {
		return refuse(reader, here(reader), "unexpected \"%c\": a comment begins with // or /*", *reader->at);
	}
	while (r == 0 && reader->at < end)
		r = pass(reader, " in a comment");
	return r;
}

/* A number sign is taken for somebody's comment. */
int skip_space(struct reader *reader)
{
	int r = 0;

	while (r == 0 && left(reader) && strchr(" \t\r\n/#", *reader->at) && *reader->at)
		r = is_space(*reader->at) ? pass(reader, "") : skip_comment(reader);
	return r;
}

/* ---- strings ---- */

/* The value of the four hexadecimal digits at s, or -1. */
static int hex4(const char *s, size_t size)
{
	char digits[5] = "";

	if (size < 4)
		return -1;
	memcpy(digits, s, 4);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (int)strtol(digits, NULL, 16) : -1;
}

static void put(struct reader *reader, const char *s, size_t length)
{
	memcpy(reader->string + reader->string_length, s, length);
	reader->string_length += length;
}

static void put_character(struct reader *reader, uint32_t c)
{
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	const unsigned more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
	char bytes[4] = { (char)(lead[more] | c >> 6 * more) };

	for (unsigned i = 1; i <= more; i++)
		bytes[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
	put(reader, bytes, more + 1);
}

/* A \u escape, or the pair of them that make one character. */
static int read_unicode_escape(struct reader *reader)
{
	const char *s = reader->at;
	int first = hex4(s + 2, left(reader) - 2), second = -1;

	if (first < 0)
		return refuse(reader, here(reader), "\\u needs four hexadecimal digits");
	if (first == 0)
		return refuse(reader, here(reader), "\\u0000 is not allowed");
	reader->at += 6;
	if (first < 0xd800 || first > 0xdfff) {
		put_character(reader, first);
		return 0;
	}
	if (first <= 0xdbff && left(reader) >= 2 && memcmp(reader->at, "\\u", 2) == 0)
		second = hex4(reader->at + 2, left(reader) - 2);
	if (second < 0xdc00 || second > 0xdfff)
		return refuse(reader, position_of(reader, s), "half of a surrogate pair is no character");
	put_character(reader, 0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff)));
	reader->at += 6;
	return 0;
}

static int read_escape(struct reader *reader)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char c = left(reader) >= 2 ? reader->at[1] : '\0', *known = c ? strchr(escapes, c) : NULL;

	if (c == 'u')
		return read_unicode_escape(reader);
	if (!known)
		return refuse(reader, here(reader), "unknown escape: after a backslash comes one of \" / b f n r t u or another backslash");
	put(reader, &meant[known - escapes], 1);
	reader->at += 2;
	return 0;
}

static int read_character(struct reader *reader)
{
	const char *c = reader->at;
	const size_t length = text_utf8_length(c, left(reader));

	if (*c == '\\')
		return read_escape(reader);
	if ((unsigned char)*c < 0x20)
		return refuse(reader, here(reader), "control character 0x%02x in a string: it has to be escaped", *c);
	if (length == 0)
		return refuse(reader, here(reader), "invalid UTF-8 in a string");
	put(reader, c, length);
	reader->at += length;
	return 0;
}

int read_string(struct reader *reader, char **ret)
{
	const struct json_position start = here(reader);
	int r = 0;

	reader->string_length = 0;
	reader->at++;
	while (r == 0 && next(reader) != '"') {
		/* The missing quote belongs closer to the start than to the end of the line. */
		if (reader->at == reader->end)
			r = refuse(reader, start, "string is not closed");
		else if (*reader->at == '\n' || *reader->at == '\r')
			r = refuse(reader, start, "string is not closed on its line");
		else
			r = read_character(reader);
	}
	if (r < 0)
		return r;
	reader->at++;
	*ret = cJSON_malloc(reader->string_length + 1);
	if (!*ret)
		return -ENOMEM;
	memcpy(*ret, reader->string, reader->string_length);
	(*ret)[reader->string_length] = '\0';
	return 0;
}

/* ---- words: numbers, true, false, null ---- */

static const char *const literals[] = { "true", "false", "null" };

static bool is_word(const char *word, size_t length, const char *other)
{
	return length == strlen(other) && strncasecmp(word, other, length) == 0;
}

/* What follows the digits at s: NULL if there are none. */
static const char *after_digits(const char *s, const char *end)
{
	const char *after = s;

	while (after < end && *after >= '0' && *after <= '9')
		after++;
	return after > s ? after : NULL;
}

/* JSON's grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static bool is_number(const char *s, const char *end)
{
	const char *first = s + (*s == '-');

	s = after_digits(first, end);
	if (!s || (*first == '0' && s > first + 1))
		return false;
	if (s < end && *s == '.')
		s = after_digits(s + 1, end);
	if (s && s < end && (*s == 'e' || *s == 'E')) {
		s++;
		s = after_digits(s + (s < end && (*s == '+' || *s == '-')), end);
	}
	return s == end;
}

static int refuse_word(const struct reader *reader, const char *word, size_t length)
{
	const struct json_position at = position_of(reader, word);
	const char *after = word + length;
	const int n = length < EXCERPT_MAX ? (int)length : EXCERPT_MAX;

	while (after < reader->end && is_space(*after))
		after++;
	if (word[0] == '\'' || (length >= 3 && (!memcmp(word, "\u201c", 3) || !memcmp(word, "\u201d", 3))))
		return refuse(reader, at, "text must be in straight double quotes: \"");
	if (after < reader->end && *after == ':')
		return refuse(reader, at, "keys must be in double quotes: \"%.*s\"", n, word);
	if (strchr("0123456789+-.", word[0]) || is_word(word, length, "NaN") || is_word(word, length, "Infinity"))
		return refuse(reader, at, "not a number as JSON writes it: %.*s", n, word);
	for (size_t i = 0; i < array_size(literals); i++) {
		if (is_word(word, length, literals[i]))
			return refuse(reader, at, "must be in lower case: %s", literals[i]);
	}
	return refuse(reader, at, "text must be in double quotes: \"%.*s\"", n, word);
}

int read_word(struct reader *reader, size_t *ret_length)
{
	const char *word = reader->at;
	size_t length;
	int r = 0;

	if (is_control(*word))
		return pass(reader, "");
	while (r == 0 && left(reader) && !is_control(*reader->at) && !strchr(" {}[]:,\"/", *reader->at))
		r = pass(reader, "");
	*ret_length = length = (size_t)(reader->at - word);
	if (r < 0 || length == 0)
		return r;
	for (size_t i = 0; i < array_size(literals); i++) {
		if (length == strlen(literals[i]) && memcmp(word, literals[i], length) == 0)
			return 0;
	}
	if (!is_number(word, reader->at))
		return refuse_word(reader, word, length);
	if (length > NUMBER_MAX)
		return refuse(reader, position_of(reader, word), "number of more than %d characters", NUMBER_MAX);
	return 0;
}
