/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of JSON, strictly: what cJSON lets pass or places badly is refused before it sees the
 * text. */
#include "json_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define EXCERPT_MAX 40

/* cJSON reads no longer numbers (it copies them to a buffer of 64 bytes). */
#define NUMBER_MAX 63

struct scan {
	char *text;
	size_t size, at;
	struct json_problem *problem;
};

__attribute__((format(printf, 3, 4))) static bool refuse(struct scan *scan, size_t offset,
							 const char *format, ...)
{
	va_list args;

	scan->problem->offset = offset;
	va_start(args, format);
	vsnprintf(scan->problem->message, JSON_MESSAGE_MAX, format, args);
	va_end(args);
	return false;
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

/* A byte that ends a word, if it is not part of one by being text. */
static bool ends_word(char c)
{
	return is_space(c) || is_control(c) || strchr("{}[]:,\"/", c);
}

static bool blank_comment(struct scan *scan)
{
	const char *rest = scan->text + scan->at, *end;
	size_t left = scan->size - scan->at, len;

	if (left >= 2 && rest[1] == '/') {
		end = memchr(rest, '\n', left);
		len = end ? (size_t)(end - rest) : left;
	} else if (left >= 2 && rest[1] == '*') {
		end = left >= 4 ? memmem(rest + 2, left - 2, "*/", 2) : NULL;
		if (!end)
			return refuse(scan, scan->at, "comment is not closed: \"*/\" is missing");
		len = end + 2 - rest;
	} else {
		return refuse(scan, scan->at, "unexpected \"/\": a comment begins with // or /*");
	}
	for (size_t end_at = scan->at + len; scan->at < end_at;) {
		char *c = &scan->text[scan->at];
		size_t n = text_utf8_length(c, scan->size - scan->at);

		if (n == 0)
			return refuse(scan, scan->at, "invalid UTF-8 in a comment");
		if (is_control(*c) && !is_space(*c))
			return refuse(scan, scan->at, "control character 0x%02x in a comment", *c);
		if (*c != '\n')
			memset(c, ' ', n);
		scan->at += n;
	}
	return true;
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

/* The length of the \u escape at the position, or of the pair of them that make one character. */
static bool check_unicode_escape(struct scan *scan, size_t *len)
{
	const char *s = scan->text + scan->at;
	size_t left = scan->size - scan->at;
	int first = hex4(s + 2, left - 2), second;

	*len = 6;
	if (first < 0)
		return refuse(scan, scan->at, "\\u needs four hexadecimal digits");
	if (first == 0)
		return refuse(scan, scan->at, "\\u0000 is not allowed");
	if (first < 0xd800 || first > 0xdfff)
		return true;
	second = left >= 12 && s[6] == '\\' && s[7] == 'u' ? hex4(s + 8, 4) : -1;
	if (first > 0xdbff || second < 0xdc00 || second > 0xdfff)
		return refuse(scan, scan->at, "half of a surrogate pair is no character");
	*len = 12;
	return true;
}

static bool check_escape(struct scan *scan, size_t *len)
{
	char c = scan->at + 1 < scan->size ? scan->text[scan->at + 1] : '\0';

	*len = 2;
	if (c == 'u')
		return check_unicode_escape(scan, len);
	if (c && strchr("\"\\/bfnrt", c))
		return true;
	return refuse(scan, scan->at, "unknown escape: after \\ comes one of \" \\ / b f n r t u");
}

static bool check_string(struct scan *scan)
{
	size_t start = scan->at++, n;

	for (; scan->at < scan->size; scan->at += n) {
		char c = scan->text[scan->at];

		if (c == '"') {
			scan->at++;
			return true;
		}
		/* The quote that is missing is nearer to the start than to the line's end. */
		if (c == '\n' || c == '\r')
			return refuse(scan, start, "string is not closed on its line");
		if ((unsigned char)c < 0x20)
			return refuse(scan, scan->at,
				      "control character 0x%02x in a string: it has to be escaped",
				      c);
		n = text_utf8_length(scan->text + scan->at, scan->size - scan->at);
		if (n == 0)
			return refuse(scan, scan->at, "invalid UTF-8 in a string");
		if (c == '\\' && !check_escape(scan, &n))
			return false;
	}
	return refuse(scan, start, "string is not closed");
}

static size_t digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && is_digit(s[n]))
		n++;
	return n;
}

/* JSON's grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static bool is_number(const char *s, size_t len)
{
	size_t at = len && s[0] == '-', n = digits(s + at, len - at);

	if (n == 0 || (n > 1 && s[at] == '0'))
		return false;
	at += n;
	if (at < len && s[at] == '.') {
		n = digits(s + at + 1, len - at - 1);
		if (n == 0)
			return false;
		at += n + 1;
	}
	if (at < len && (s[at] == 'e' || s[at] == 'E')) {
		at++;
		if (at < len && (s[at] == '+' || s[at] == '-'))
			at++;
		n = digits(s + at, len - at);
		if (n == 0)
			return false;
		at += n;
	}
	return at == len;
}

static bool word_is(const char *word, size_t len, const char *name)
{
	return len == strlen(name) && memcmp(word, name, len) == 0;
}

/* The part of a word that goes into a message: whole characters. */
static int excerpt(const char *word, size_t len)
{
	size_t n = 0;

	while (n < len) {
		size_t next = n + text_utf8_length(word + n, len - n);

		if (next > EXCERPT_MAX)
			break;
		n = next;
	}
	return n;
}

static bool refuse_word(struct scan *scan, const char *word, size_t len)
{
	static const char *const literals[] = { "true", "false", "null" };
	size_t start = word - scan->text, next = scan->at;
	int n = excerpt(word, len);

	while (next < scan->size && is_space(scan->text[next]))
		next++;
	if (word[0] == '#')
		return refuse(scan, start, "unexpected \"#\": a comment begins with // or /*");
	if (word[0] == '\'' || strncmp(word, "\u201c", 3) == 0 || strncmp(word, "\u201d", 3) == 0)
		return refuse(scan, start, "text must be in straight double quotes: \"");
	if (next < scan->size && scan->text[next] == ':')
		return refuse(scan, start, "keys must be in double quotes: \"%.*s\"", n, word);
	if (is_digit(word[0]) || strchr("+-.", word[0]))
		return refuse(scan, start, "not a number as JSON writes it: %.*s", n, word);
	for (size_t i = 0; i < array_size(literals); i++) {
		if (len == strlen(literals[i]) && strncasecmp(word, literals[i], len) == 0)
			return refuse(scan, start, "must be in lower case: %s", literals[i]);
	}
	return refuse(scan, start, "text must be in double quotes: \"%.*s\"", n, word);
}

static bool check_word(struct scan *scan)
{
	const char *word = scan->text + scan->at;
	size_t len = 0;

	if (is_control(*word))
		return refuse(scan, scan->at, "control character 0x%02x", *word);
	while (scan->at < scan->size && !ends_word(scan->text[scan->at])) {
		size_t n = text_utf8_length(scan->text + scan->at, scan->size - scan->at);

		if (n == 0)
			return refuse(scan, scan->at, "invalid UTF-8");
		scan->at += n;
		len += n;
	}
	if (len > NUMBER_MAX && is_number(word, len))
		return refuse(scan, word - scan->text, "number of more than %d characters",
			      NUMBER_MAX);
	if (is_number(word, len) || word_is(word, len, "true") || word_is(word, len, "false") ||
	    word_is(word, len, "null"))
		return true;
	return refuse_word(scan, word, len);
}

bool json_scan(char *text, size_t size, struct json_problem *problem)
{
	struct scan scan = { .text = text, .size = size, .problem = problem };
	unsigned depth = 0;
	bool good = true;

	/* Windows editors put a byte order mark in front. */
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		memset(text, ' ', 3);
	while (good && scan.at < size) {
		switch (text[scan.at]) {
		case '"':
			good = check_string(&scan);
			break;
		case '/':
			good = blank_comment(&scan);
			break;
		case '{':
		case '[':
			if (depth++ == JSON_DEPTH_MAX)
				return refuse(&scan, scan.at, "nested deeper than %d",
					      JSON_DEPTH_MAX);
			scan.at++;
			break;
		case '}':
		case ']':
			depth -= depth > 0;
			scan.at++;
			break;
		case ':':
		case ',':
		case ' ':
		case '\t':
		case '\n':
		case '\r':
			scan.at++;
			break;
		default:
			good = check_word(&scan);
			break;
		}
	}
	return good;
}

/* Of a text that was cut at a fault the last string may have no end. */
static size_t string_end(const char *text, size_t size, size_t start)
{
	size_t at = start + 1;

	while (at < size && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return at < size ? at + 1 : size;
}

struct json_token json_token(const char *text, size_t size, size_t offset)
{
	struct json_token token = { .kind = JSON_WORD };

	while (offset < size && is_space(text[offset]))
		offset++;
	token.start = offset;
	token.end = offset + 1;
	if (offset == size) {
		token.kind = JSON_END;
		token.end = offset;
		return token;
	}
	switch (text[offset]) {
	case '{':
	case '[':
		token.kind = JSON_OPEN;
		break;
	case '}':
	case ']':
		token.kind = JSON_CLOSE;
		break;
	case ':':
		token.kind = JSON_COLON;
		break;
	case ',':
		token.kind = JSON_COMMA;
		break;
	case '"':
		token.kind = JSON_STRING;
		token.end = string_end(text, size, offset);
		break;
	default:
		while (token.end < size && !ends_word(text[token.end]))
			token.end++;
		break;
	}
	return token;
}
