/* SPDX-License-Identifier: GPL-2.0-only */
#include "json_lex.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define NUMBER_MAX 63

#define refuse(lexer, offset, ...) json_refuse((lexer)->problem, offset, __VA_ARGS__)

int json_refuse(struct json_problem *problem, size_t offset, const char *format, ...)
{
	va_list args;

	problem->offset = offset;
	va_start(args, format);
	vsnprintf(problem->message, JSON_MESSAGE_MAX, format, args);
	va_end(args);
	return -EINVAL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Whether the byte ends a word. */
static bool ends_word(char c)
{
	return is_space(c) || is_control(c) || strchr("{}[]:,\"/", c);
}

static int skip_comment(struct json_lexer *lexer)
{
	const char *rest = lexer->text + lexer->at, *end;
	size_t left = lexer->size - lexer->at;

	if (left >= 2 && rest[1] == '/') {
		end = memchr(rest, '\n', left);
		end = end ? end : rest + left;
	} else if (left >= 2 && rest[1] == '*') {
		end = memmem(rest + 2, left - 2, "*/", 2);
		if (!end)
			return refuse(lexer, lexer->at, "comment is not closed: \"*/\" is missing");
		end += 2;
	} else {
		return refuse(lexer, lexer->at, "unexpected \"/\": a comment begins with // or /*");
	}
	while (lexer->text + lexer->at < end) {
		const char *c = lexer->text + lexer->at;
		size_t n = text_utf8_length(c, lexer->size - lexer->at);

		if (n == 0)
			return refuse(lexer, lexer->at, "invalid UTF-8 in a comment");
		if (is_control(*c) && !is_space(*c))
			return refuse(lexer, lexer->at, "control character 0x%02x in a comment", *c);
		lexer->at += n;
	}
	return 0;
}

static int skip_space(struct json_lexer *lexer)
{
	int r = 0;

	/* Some Windows editors begin a file with a byte order mark. */
	if (lexer->at == 0 && lexer->size >= 3 && memcmp(lexer->text, "\xef\xbb\xbf", 3) == 0)
		lexer->at = 3;
	while (r == 0 && lexer->at < lexer->size) {
		if (lexer->text[lexer->at] == '/')
			r = skip_comment(lexer);
		else if (is_space(lexer->text[lexer->at]))
			lexer->at++;
		else
			break;
	}
	return r;
}

/* The value of the four hexadecimal digits at s, or -1. */
static int hex4(const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef0123456789ABCDEF";
	int value = 0;

	if (len < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char *digit = s[i] ? strchr(hex, s[i]) : NULL;

		if (!digit)
			return -1;
		value = value << 4 | ((digit - hex) & 15);
	}
	return value;
}

static void put(struct json_lexer *lexer, const char *s, size_t len)
{
	memcpy(lexer->string + lexer->string_length, s, len);
	lexer->string_length += len;
}

static void put_character(struct json_lexer *lexer, uint32_t c)
{
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
	char bytes[4];

	bytes[0] = (char)(lead[more] | c >> 6 * more);
	for (unsigned i = 1; i <= more; i++)
		bytes[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
	put(lexer, bytes, more + 1);
}

/* The \u escape at the position, or the pair of them that make one character. Returns the length, or -EINVAL. */
static int read_unicode_escape(struct json_lexer *lexer)
{
	const char *s = lexer->text + lexer->at;
	size_t left = lexer->size - lexer->at;
	int first = hex4(s + 2, left - 2), second;

	if (first < 0)
		return refuse(lexer, lexer->at, "\\u needs four hexadecimal digits");
	if (first == 0)
		return refuse(lexer, lexer->at, "\\u0000 is not allowed");
	if (first < 0xd800 || first > 0xdfff) {
		put_character(lexer, first);
		return 6;
	}
	second = left >= 12 && s[6] == '\\' && s[7] == 'u' ? hex4(s + 8, 4) : -1;
	if (first > 0xdbff || second < 0xdc00 || second > 0xdfff)
		return refuse(lexer, lexer->at, "half of a surrogate pair is no character");
	put_character(lexer, 0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff)));
	return 12;
}

/* The same for any escape. */
static int read_escape(struct json_lexer *lexer)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = lexer->at + 1 < lexer->size ? lexer->text[lexer->at + 1] : '\0';
	const char *known = c ? strchr(escapes, c) : NULL;

	if (c == 'u')
		return read_unicode_escape(lexer);
	if (!known)
		return refuse(lexer, lexer->at, "unknown escape: after a backslash comes one of \" / b f n r t u or another backslash");
	put(lexer, &meant[known - escapes], 1);
	return 2;
}

/* One character of a string. Returns its length as written, or -EINVAL. */
static int read_character(struct json_lexer *lexer)
{
	const char *c = lexer->text + lexer->at;
	size_t n;

	if (*c == '\\')
		return read_escape(lexer);
	if ((unsigned char)*c < 0x20)
		return refuse(lexer, lexer->at, "control character 0x%02x in a string: it has to be escaped", *c);
	n = text_utf8_length(c, lexer->size - lexer->at);
	if (n == 0)
		return refuse(lexer, lexer->at, "invalid UTF-8 in a string");
	put(lexer, c, n);
	return (int)n;
}

static int read_string(struct json_lexer *lexer)
{
	size_t start = lexer->at++;

	lexer->string_length = 0;
	while (lexer->at < lexer->size) {
		char c = lexer->text[lexer->at];
		int n;

		if (c == '"') {
			lexer->string[lexer->string_length] = '\0';
			lexer->at++;
			return 0;
		}
		/* The missing quote belongs closer to the start than to the end of the line. */
		if (c == '\n' || c == '\r')
			return refuse(lexer, start, "string is not closed on its line");
		n = read_character(lexer);
		if (n < 0)
			return n;
		lexer->at += n;
	}
	return refuse(lexer, start, "string is not closed");
}

/* What follows the digits at s: NULL if there are none. */
static const char *after_digits(const char *s, const char *end)
{
	const char *after = s;

	while (after < end && is_digit(*after))
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

static bool word_begins(const char *word, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(word, with, strlen(with)) == 0;
}

/* The part of a word that goes into a message: whole characters. */
static int excerpt(const char *word, size_t len)
{
	size_t n = 0;

	while (n < len) {
		size_t next = n + text_utf8_length(word + n, len - n);

		if (next > JSON_EXCERPT_MAX)
			break;
		n = next;
	}
	return (int)n;
}

static const char *const literals[] = { "true", "false", "null" };

/* In upper or lower case. */
static bool word_is(const char *word, size_t len, const char *other)
{
	return len == strlen(other) && strncasecmp(word, other, len) == 0;
}

static int refuse_word(struct json_lexer *lexer, const char *word, size_t len)
{
	size_t start = word - lexer->text, next = lexer->at;
	int n = excerpt(word, len);

	while (next < lexer->size && is_space(lexer->text[next]))
		next++;
	if (word[0] == '#')
		return refuse(lexer, start, "unexpected \"#\": a comment begins with // or /*");
	if (word[0] == '\'' || word_begins(word, len, "\u201c") || word_begins(word, len, "\u201d"))
		return refuse(lexer, start, "text must be in straight double quotes: \"");
	if (next < lexer->size && lexer->text[next] == ':')
		return refuse(lexer, start, "keys must be in double quotes: \"%.*s\"", n, word);
	if (is_digit(word[0]) || strchr("+-.", word[0]) || word_is(word, len, "NaN") || word_is(word, len, "Infinity"))
		return refuse(lexer, start, "not a number as JSON writes it: %.*s", n, word);
	for (size_t i = 0; i < array_size(literals); i++) {
		if (word_is(word, len, literals[i]))
			return refuse(lexer, start, "must be in lower case: %s", literals[i]);
	}
	return refuse(lexer, start, "text must be in double quotes: \"%.*s\"", n, word);
}

static int read_word(struct json_lexer *lexer)
{
	const char *word = lexer->text + lexer->at;
	size_t len = 0;

	if (is_control(*word))
		return refuse(lexer, lexer->at, "control character 0x%02x", *word);
	while (lexer->at < lexer->size && !ends_word(lexer->text[lexer->at])) {
		size_t n = text_utf8_length(lexer->text + lexer->at, lexer->size - lexer->at);

		if (n == 0)
			return refuse(lexer, lexer->at, "invalid UTF-8");
		lexer->at += n;
		len += n;
	}
	for (size_t i = 0; i < array_size(literals); i++) {
		if (len == strlen(literals[i]) && memcmp(word, literals[i], len) == 0)
			return 0;
	}
	if (!is_number(word, word + len))
		return refuse_word(lexer, word, len);
	if (len > NUMBER_MAX)
		return refuse(lexer, word - lexer->text, "number of more than %d characters", NUMBER_MAX);
	return 0;
}

static enum json_token_kind kind_of(char c)
{
	switch (c) {
	case '{':
	case '[':
		return JSON_OPEN;
	case '}':
	case ']':
		return JSON_CLOSE;
	case ':':
		return JSON_COLON;
	case ',':
		return JSON_COMMA;
	case '"':
		return JSON_STRING;
	default:
		return JSON_WORD;
	}
}

int json_lex(struct json_lexer *lexer, struct json_token *ret)
{
	int r = skip_space(lexer);

	if (r < 0)
		return r;
	*ret = (struct json_token){ .kind = JSON_END, .start = lexer->at, .end = lexer->at };
	if (lexer->at == lexer->size)
		return 0;
	ret->kind = kind_of(lexer->text[lexer->at]);
	if (ret->kind == JSON_STRING)
		r = read_string(lexer);
	else if (ret->kind == JSON_WORD)
		r = read_word(lexer);
	else
		lexer->at++;
	ret->cut = r < 0;
	ret->end = r < 0 ? lexer->problem->offset : lexer->at;
	return ret->end > ret->start ? 0 : r;
}
