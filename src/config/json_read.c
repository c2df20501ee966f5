/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads JSON in one pass over a copy of the text. Escapes of strings are replaced in place, with the help of cJSON.
 * cJSON cannot read the rest: it has no positions, no comments and no 64-bit numbers.
 *
 * Only the first problem counts. After it the reader jumps to the end of the text, where every loop ends by itself, so
 * callers need not check for errors in between.
 */
#include "json_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define EXCERPT_MAX 40

struct reader {
	char *text, *at, *end; /* *end is NUL */
	const char *original;
	size_t seen;		      /* number of bytes before `position` */
	struct json_position position;
	struct arena **arena;
	int error;	   /* 0, -EINVAL or -ENOMEM */
	const char *fault; /* place of the problem if error is -EINVAL */
	struct json_problem *problem;
	struct json_node *in; /* the enclosing object or list, or NULL */
	unsigned depth;
};

__attribute__((format(printf, 3, 4))) static void refuse_at(struct reader *reader, const char *at, const char *format,
							    ...)
{
	va_list args;

	if (reader->error)
		return;
	va_start(args, format);
	vsnprintf(reader->problem->message, sizeof(reader->problem->message), format, args);
	va_end(args);
	reader->error = -EINVAL;
	reader->fault = at;
	reader->at = reader->end;
}

static void run_out(struct reader *reader)
{
	reader->error = -ENOMEM;
	reader->at = reader->end;
}

/*
 * Returns the position of a place in the copy, where escapes may already have become newlines. Continues from the
 * previous call's place.
 */
static struct json_position position_of(struct reader *reader, const char *at)
{
	const size_t offset = (size_t)(at - reader->text);

	if (offset < reader->seen) {
		reader->seen = 0;
		reader->position = (struct json_position){ 1, 1 };
	}
	for (; reader->seen < offset; reader->seen++) {
		reader->position.column++;
		if (reader->original[reader->seen] == '\n')
			reader->position = (struct json_position){ reader->position.line + 1, 1 };
	}
	return reader->position;
}

/* Skips one character, such as a bracket. */
static void pass_char(struct reader *reader)
{
	reader->at += reader->at < reader->end;
}

/* ---- white space and comments ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the end of the comment that begins here. Also recognises #, which some people use for comments. */
static char *comment_end(struct reader *reader)
{
	char *at = reader->at, *end = NULL;

	if (at[0] == '/' && at[1] == '/')
		return strchrnul(at, '\n');
	if (at[0] == '/' && at[1] == '*')
		end = strstr(at + 2, "*/");
	else
		refuse_at(reader, at, "unexpected \"%c\": a comment begins with // or /*", *at);
	if (!end)
		refuse_at(reader, at, "comment is not closed: \"*/\" is missing");
	return end ? end + 2 : reader->end;
}

/* Skips to the next significant character or to the end. */
static void skip_space(struct reader *reader)
{
	while (*reader->at && strchr(" \t\r\n/#", *reader->at))
		reader->at = is_space(*reader->at) ? reader->at + 1 : comment_end(reader);
}

/* ---- strings ---- */

static void check_escape(struct reader *reader, const char *at)
{
	if (!at[1] || !strchr("\"\\/bfnrtu", at[1]))
		refuse_at(reader, at,
			  "unknown escape: after a backslash comes one of \" / b f n r t u or another backslash");
	else if (at[1] == 'u' && strspn(at + 2, "0123456789abcdefABCDEF") < 4)
		refuse_at(reader, at, "after a backslash and u come four hexadecimal digits");
	else if (strncmp(at + 1, "u0000", 5) == 0)
		refuse_at(reader, at, "the character 0 is not allowed");
}

/* Replaces the escapes of a string, each of which was checked. The result is never longer. */
static void replace_escapes(struct reader *reader, char *quote, const char *end)
{
	const char *fault;
	cJSON *string;

	errno = 0;
	string = cJSON_ParseWithLengthOpts(quote, (size_t)(end - quote), &fault, false);
	if (string)
		strcpy(quote + 1, string->valuestring);
	else if (errno == ENOMEM)
		run_out(reader);
	else
		refuse_at(reader, fault, "half of a surrogate pair is no character");
	cJSON_Delete(string);
}

/* Reads a string; the reader stands at its opening quote. */
static const char *read_string(struct reader *reader)
{
	char *quote = reader->at, *end = quote + 1;
	bool has_escapes = false;

	for (; !reader->error && *end != '"'; end++) {
		/* The missing quote belongs nearer to the start than to the end of the line. */
		if (end == reader->end)
			refuse_at(reader, quote, "string is not closed");
		else if (*end == '\n' || *end == '\r')
			refuse_at(reader, quote, "string is not closed on its line");
		else if (*end == '\t')
			refuse_at(reader, end, "a tab in a string has to be written as a backslash and t");
		if (*end != '\\')
			continue;
		has_escapes = true;
		check_escape(reader, end++);
	}
	if (reader->error)
		return NULL;
	*end = has_escapes ? '"' : '\0';
	reader->at = end + 1;
	if (has_escapes)
		replace_escapes(reader, quote, reader->at);
	return quote + 1;
}

/* ---- words: numbers, true, false, null ---- */

static const struct {
	const char *word;
	enum json_type type;
} literals[] = { { "true", JSON_TRUE }, { "false", JSON_FALSE }, { "null", JSON_NULL } };

/* Returns the length of a word, 0 at a bracket or the like and at the end. */
static size_t word_length(const char *word)
{
	return strcspn(word, " \t\r\n{}[]:,\"/");
}

static bool is_word(const char *word, size_t length, const char *other)
{
	return length == strlen(other) && strncasecmp(word, other, length) == 0;
}

static void refuse_word(struct reader *reader, bool is_key)
{
	const char *word = reader->at;
	const size_t length = word_length(word);
	const int n = length < EXCERPT_MAX ? (int)length : EXCERPT_MAX;

	if (word[0] == '\'' || strncmp(word, "\u201c", 3) == 0 || strncmp(word, "\u201d", 3) == 0)
		refuse_at(reader, word, "text must be in straight double quotes: \"");
	if (is_key)
		refuse_at(reader, word, "keys must be in double quotes: \"%.*s\"", n, word);
	if (strchr("+.", word[0]) || is_word(word, length, "NaN") || is_word(word, length, "Infinity"))
		refuse_at(reader, word, "not a number as JSON writes it: %.*s", n, word);
	for (size_t i = 0; i < array_size(literals); i++) {
		if (is_word(word, length, literals[i].word))
			refuse_at(reader, word, "must be in lower case: %s", literals[i].word);
	}
	if (is_word(word, length, "yes") || is_word(word, length, "no") || is_word(word, length, "on") ||
	    is_word(word, length, "off"))
		refuse_at(reader, word, "must be true or false, or text in double quotes: \"%.*s\"", n, word);
	refuse_at(reader, word, "text must be in double quotes: \"%.*s\"", n, word);
}

static void read_word(struct reader *reader, struct json_node *node)
{
	node->text = reader->at;
	node->count = (uint32_t)word_length(reader->at);
	node->type = JSON_NUMBER;
	for (size_t i = 0; i < array_size(literals); i++) {
		if (node->count == strlen(literals[i].word) && memcmp(node->text, literals[i].word, node->count) == 0)
			node->type = literals[i].type;
	}
	/* json_integer() checks the rest of a number when it is used. */
	if (node->type == JSON_NUMBER && !strchr("-0123456789", *node->text))
		refuse_word(reader, false);
	else
		reader->at += node->count;
}

/* ---- what is in the wrong place ---- */

static bool closes(const struct reader *reader)
{
	return reader->in && *reader->at == (reader->in->type == JSON_OBJECT ? '}' : ']');
}

/* Reports a problem of the bracket that is open. */
static void refuse_open(struct reader *reader, const char *what, const char *after)
{
	refuse_at(reader, reader->at, "%s the \"%s\" opened at %u:%u%s", what,
		  reader->in->type == JSON_OBJECT ? "{" : "[", reader->in->at.line, reader->in->at.column, after);
}

/* Reports that `wanted` was expected here. */
static void refuse_here(struct reader *reader, const char *wanted)
{
	const char *s = reader->at;
	const int length = (int)word_length(s);

	if (s == reader->end && reader->in)
		refuse_open(reader, "the text ends, but", " is not closed");
	else if (s == reader->end)
		refuse_at(reader, reader->text, "empty: write {} for no rules");
	else if (*s == '"')
		refuse_at(reader, s, "%s expected, not a string", wanted);
	else
		refuse_at(reader, s, "%s expected, not %.*s", wanted, length ? length : 1, s);
}

/* Reports that the next word cannot follow a value. */
static void refuse_next(struct reader *reader)
{
	const char c = *reader->at;

	if (reader->in && (c == '}' || c == ']'))
		refuse_open(reader, c == '}' ? "\"}\" does not close" : "\"]\" does not close", "");
	else if (!reader->in)
		refuse_at(reader, reader->at,
			  "more text after the end of the JSON: everything belongs inside one pair of braces");
	else if (c == ':' || reader->at == reader->end)
		refuse_here(reader, reader->in->type == JSON_OBJECT ? "\",\" or \"}\"" : "\",\" or \"]\"");
	else
		refuse_at(reader, reader->at, "a comma is missing before this");
}

/* ---- the tree ---- */

static void read_items(struct reader *reader, struct json_node *node);

static void read_value(struct reader *reader, struct json_node *node)
{
	node->at = position_of(reader, reader->at);
	if (*reader->at == '{' || *reader->at == '[') {
		read_items(reader, node);
	} else if (*reader->at == '"') {
		node->type = JSON_STRING;
		node->text = read_string(reader);
	} else if (word_length(reader->at)) {
		read_word(reader, node);
	} else {
		refuse_here(reader, "a value");
	}
}

static void read_key(struct reader *reader, struct json_node *node)
{
	if (*reader->at == '"')
		node->key = read_string(reader);
	else if (word_length(reader->at))
		refuse_word(reader, true);
	else
		refuse_here(reader, "a key");
	skip_space(reader);
	if (*reader->at != ':')
		refuse_here(reader, "\":\" and the key's value");
	pass_char(reader);
	skip_space(reader);
}

/* Skips the comma after an item, unless the item is the last one. */
static void read_comma(struct reader *reader)
{
	const char *comma = reader->at;

	if (*comma != ',') {
		if (!closes(reader))
			refuse_next(reader);
		return;
	}
	pass_char(reader);
	skip_space(reader);
	if (closes(reader))
		refuse_at(reader, comma, "trailing comma: nothing follows before the \"%c\"", *reader->at);
}

/* Reads the root or an item of the enclosing object or list. Returns NULL if there is no memory. */
static struct json_node *read_node(struct reader *reader)
{
	struct json_node *node = arena_alloc(reader->arena, sizeof(*node));

	if (!node) {
		run_out(reader);
		return NULL;
	}
	node->parent = reader->in;
	node->key_at = position_of(reader, reader->at);
	if (reader->in && reader->in->type == JSON_OBJECT)
		read_key(reader, node);
	read_value(reader, node);
	skip_space(reader);
	return node;
}

/* Reads an object or a list, nested at most CONFIG_DEPTH_MAX deep. */
static void read_items(struct reader *reader, struct json_node *node)
{
	struct json_node *around = reader->in, **next = &node->child;

	if (reader->depth == CONFIG_DEPTH_MAX)
		refuse_at(reader, reader->at, "nested deeper than %d", CONFIG_DEPTH_MAX);
	node->type = *reader->at == '{' ? JSON_OBJECT : JSON_LIST;
	reader->in = node;
	reader->depth++;
	pass_char(reader);
	skip_space(reader);
	while (!reader->error && !closes(reader)) {
		*next = read_node(reader);
		if (*next) {
			(*next)->index = node->count;
			next = &(*next)->next;
		}
		node->count++;
		read_comma(reader);
	}
	pass_char(reader);
	reader->depth--;
	reader->in = around;
}

static void check_bytes(struct reader *reader)
{
	size_t length;

	for (const char *at = reader->text; at < reader->end && !reader->error; at += length) {
		length = text_utf8_length(at, (size_t)(reader->end - at));
		if (!length)
			refuse_at(reader, at, "invalid UTF-8: the file has to be saved as UTF-8");
		else if ((unsigned char)*at < ' ' && !is_space(*at))
			refuse_at(reader, at, "control character 0x%02x: allowed only as an escape in a string", *at);
	}
}

/* Returns the length of a byte order mark, with which some Windows editors begin a file. No position counts it. */
static size_t mark_length(const char *text, size_t size)
{
	return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int json_parse(struct arena **arena, const char *text, size_t size, const struct json_node **ret,
	       struct json_problem *problem)
{
	const size_t mark = mark_length(text, size);
	char *copy = arena_text(arena, text + mark, size - mark);
	struct reader reader = {
		.text = copy,
		.at = copy,
		.original = text + mark,
		.position = { 1, 1 },
		.arena = arena,
		.problem = problem,
	};

	if (!copy)
		return -ENOMEM;
	reader.end = copy + size - mark;
	check_bytes(&reader);
	skip_space(&reader);
	*ret = read_node(&reader);
	if (reader.at < reader.end)
		refuse_next(&reader);
	if (reader.error == -EINVAL)
		problem->at = position_of(&reader, reader.fault);
	return reader.error;
}

/* ---- what is in it ---- */

const struct json_node *json_member(const struct json_node *object, const char *key)
{
	const struct json_node *node;

	json_each (node, object) {
		if (strcmp(node->key, key) == 0)
			break;
	}
	return node;
}

int json_integer(const struct json_node *node, int64_t min, int64_t max, int64_t *ret)
{
	const char *digits = node->text + (*node->text == '-');
	const size_t n = strspn(digits, "0123456789");
	long long value;

	if (!n || digits + n != node->text + node->count || (*digits == '0' && n > 1))
		return -EINVAL;
	errno = 0;
	value = strtoll(node->text, NULL, 10);
	if (errno == ERANGE || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

const char *json_type_name(const struct json_node *node)
{
	static const char *const names[] = { "null",	 "true or false", "true or false", "a number",
					     "a string", "a list",	  "an object" };

	return names[node->type];
}
