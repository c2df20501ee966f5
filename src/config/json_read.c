/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over the text, which builds the tree and ends at the first fault, told in terms of what was written. Whatever
 * reads returns false at a fault, and without memory.
 */
#include "json_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define NUMBER_MAX  63
#define EXCERPT_MAX 40
#define DIGITS	    "0123456789"

struct reader {
	const char *at, *end; /* of a copy of the text, at whose end is a NUL */
	const char *line_start;
	unsigned line;
	struct json_doc *doc;
	struct json_problem *problem; /* "": none */
	const cJSON *in; /* the object or list around, or NULL */
	unsigned depth;
};

/* Where the character at is, in the line that has been reached. */
static struct json_position position_of(const struct reader *reader, const char *at)
{
	return (struct json_position){ .line = reader->line, .column = (unsigned)(at - reader->line_start) + 1 };
}

static struct json_position here(const struct reader *reader)
{
	return position_of(reader, reader->at);
}

__attribute__((format(printf, 3, 4)))
static bool refuse(const struct reader *reader, struct json_position at, const char *format, ...)
{
	va_list args;

	reader->problem->at = at;
	va_start(args, format);
	vsnprintf(reader->problem->message, sizeof(reader->problem->message), format, args);
	va_end(args);
	return false;
}

/* ---- white space and comments ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* One character that is neither text nor the end: a fault in what. */
static bool pass(struct reader *reader, const char *what)
{
	const char c = *reader->at;
	const size_t length = text_utf8_length(reader->at, (size_t)(reader->end - reader->at));

	if (length == 0)
		return refuse(reader, here(reader), "invalid UTF-8%s", what);
	if (is_control(c) && !is_space(c))
		return refuse(reader, here(reader), "control character 0x%02x%s", c, what);
	reader->at += length;
	if (c == '\n') {
		reader->line++;
		reader->line_start = reader->at;
	}
	return true;
}

/* A number sign is taken for somebody's comment. */
static bool skip_comment(struct reader *reader)
{
	const bool is_block = reader->at[1] == '*';
	const char *end;

	if (*reader->at == '#' || (!is_block && reader->at[1] != '/'))
		return refuse(reader, here(reader), "unexpected \"%c\": a comment begins with // or /*", *reader->at);
	end = is_block ? memmem(reader->at + 2, (size_t)(reader->end - reader->at) - 2, "*/", 2) :
			 memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
	if (!end && is_block)
		return refuse(reader, here(reader), "comment is not closed: \"*/\" is missing");
	end = is_block ? end + 2 : end ? end : reader->end;
	while (reader->at < end) {
		if (!pass(reader, " in a comment"))
			return false;
	}
	return true;
}

/* To the next character that means something, or to the end. */
static bool skip_space(struct reader *reader)
{
	bool ok = true;

	while (ok && *reader->at && strchr(" \t\r\n/#", *reader->at))
		ok = is_space(*reader->at) ? pass(reader, "") : skip_comment(reader);
	return ok;
}

/* ---- strings ---- */

/* The number of a \u escape, or -1. */
static int unicode_escape(const char *s)
{
	char digits[5] = "";

	if (s[0] != '\\' || s[1] != 'u')
		return -1;
	strncpy(digits, s + 2, 4);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (int)strtol(digits, NULL, 16) : -1;
}

static bool skip_escape(struct reader *reader)
{
	const int first = unicode_escape(reader->at);
	int second;

	if (reader->at[1] != 'u') {
		if (!reader->at[1] || !strchr("\"\\/bfnrt", reader->at[1]))
			return refuse(reader, here(reader),
				      "unknown escape: after a backslash comes one of \" / b f n r t u or another backslash");
		reader->at += 2;
		return true;
	}
	if (first < 0)
		return refuse(reader, here(reader), "\\u needs four hexadecimal digits");
	if (first == 0)
		return refuse(reader, here(reader), "\\u0000 is not allowed");
	if (first >= 0xd800 && first <= 0xdfff) {
		second = unicode_escape(reader->at + 6);
		if (first > 0xdbff || second < 0xdc00 || second > 0xdfff)
			return refuse(reader, here(reader), "half of a surrogate pair is no character");
		reader->at += 6;
	}
	reader->at += 6;
	return true;
}

static bool skip_character(struct reader *reader)
{
	const size_t length = text_utf8_length(reader->at, (size_t)(reader->end - reader->at));

	if (*reader->at == '\\')
		return skip_escape(reader);
	if ((unsigned char)*reader->at < 0x20)
		return refuse(reader, here(reader), "control character 0x%02x in a string: it has to be escaped", *reader->at);
	if (length == 0)
		return refuse(reader, here(reader), "invalid UTF-8 in a string");
	reader->at += length;
	return true;
}

/* At a quote. The copy, without escapes, belongs to the tree. */
static bool read_string(struct reader *reader, char **ret)
{
	const struct json_position start = here(reader);
	const char *quote = reader->at++;
	cJSON *string;

	while (*reader->at != '"') {
		/* The missing quote belongs closer to the start than to the end of the line. */
		if (reader->at == reader->end)
			return refuse(reader, start, "string is not closed");
		if (*reader->at == '\n' || *reader->at == '\r')
			return refuse(reader, start, "string is not closed on its line");
		if (!skip_character(reader))
			return false;
	}
	reader->at++;
	string = cJSON_ParseWithLength(quote, (size_t)(reader->at - quote));
	if (!string)
		return false;
	*ret = string->valuestring;
	string->valuestring = NULL;
	cJSON_Delete(string);
	return true;
}

/* ---- words: numbers, true, false, null ---- */

static const struct {
	const char *word;
	int type;
} literals[] = { { "true", cJSON_True }, { "false", cJSON_False }, { "null", cJSON_NULL } };

static bool is_word(const char *word, size_t length, const char *other)
{
	return length == strlen(other) && strncasecmp(word, other, length) == 0;
}

/* JSON's grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static bool is_number(const char *s, const char *end)
{
	size_t n;

	s += *s == '-';
	n = strspn(s, DIGITS);
	if (n == 0 || (*s == '0' && n > 1))
		return false;
	s += n;
	if (*s == '.') {
		n = strspn(++s, DIGITS);
		s += n;
	}
	if (n && (*s == 'e' || *s == 'E')) {
		s += s[1] == '+' || s[1] == '-' ? 2 : 1;
		n = strspn(s, DIGITS);
		s += n;
	}
	return n && s == end;
}

static bool refuse_word(const struct reader *reader, const char *word, size_t length)
{
	const struct json_position at = position_of(reader, word);
	const char *after = word + length;
	const int n = length < EXCERPT_MAX ? (int)length : EXCERPT_MAX;

	while (is_space(*after))
		after++;
	if (word[0] == '\'' || strncmp(word, "\u201c", 3) == 0 || strncmp(word, "\u201d", 3) == 0)
		return refuse(reader, at, "text must be in straight double quotes: \"");
	if (*after == ':')
		return refuse(reader, at, "keys must be in double quotes: \"%.*s\"", n, word);
	if (strchr("0123456789+-.", word[0]) || is_word(word, length, "NaN") || is_word(word, length, "Infinity"))
		return refuse(reader, at, "not a number as JSON writes it: %.*s", n, word);
	for (size_t i = 0; i < array_size(literals); i++) {
		if (is_word(word, length, literals[i].word))
			return refuse(reader, at, "must be in lower case: %s", literals[i].word);
	}
	return refuse(reader, at, "text must be in double quotes: \"%.*s\"", n, word);
}

/* At anything but the end. A length of 0: a bracket or the like. The type is one of cJSON's. */
static bool read_word(struct reader *reader, size_t *ret_length, int *ret_type)
{
	const char *word = reader->at;
	size_t length;

	if (is_control(*word))
		return pass(reader, "");
	while (!is_control(*reader->at) && !strchr(" {}[]:,\"/", *reader->at)) {
		if (!pass(reader, ""))
			return false;
	}
	*ret_length = length = (size_t)(reader->at - word);
	for (size_t i = 0; i < array_size(literals); i++) {
		*ret_type = literals[i].type;
		if (length == strlen(literals[i].word) && memcmp(word, literals[i].word, length) == 0)
			return true;
	}
	*ret_type = cJSON_Number;
	if (length && !is_number(word, reader->at))
		return refuse_word(reader, word, length);
	if (length > NUMBER_MAX)
		return refuse(reader, position_of(reader, word), "number of more than %d characters", NUMBER_MAX);
	return true;
}

/* ---- what is in the wrong place ---- */

static bool closes(const struct reader *reader)
{
	return reader->in && *reader->at == (cJSON_IsObject(reader->in) ? '}' : ']');
}

/* what: a fault of the bracket that is open. */
static bool refuse_open(const struct reader *reader, const char *what)
{
	const struct json_position open = json_place(reader->doc, reader->in)->value;
	const char *bracket = cJSON_IsObject(reader->in) ? "{" : "[";

	return refuse(reader, here(reader), "%s the \"%s\" opened at %u:%u%s", what, bracket, open.line, open.column,
		      reader->at == reader->end ? " is not closed" : "");
}

static bool refuse_end(const struct reader *reader)
{
	if (reader->in)
		return refuse_open(reader, "the text ends, but");
	return refuse(reader, (struct json_position){ 1, 1 }, "empty: write {} for no rules");
}

/* wanted: what was expected instead of what follows. */
static bool refuse_here(struct reader *reader, const char *wanted)
{
	const struct json_position at = here(reader);
	const char *s = reader->at;
	size_t length = 0;
	int type;

	if (s == reader->end)
		return refuse_end(reader);
	if (!read_word(reader, &length, &type))
		return false;
	if (*s == '"')
		return refuse(reader, at, "%s expected, not a string", wanted);
	return refuse(reader, at, "%s expected, not %.*s", wanted, length ? (int)length : 1, s);
}

/* What follows cannot follow the value before it. */
static bool refuse_next(struct reader *reader)
{
	const struct json_position at = here(reader);
	const char c = *reader->at;
	size_t length;
	int type;

	if (reader->at == reader->end)
		return refuse_end(reader);
	if (c == '}' || c == ']')
		return reader->in ? refuse_open(reader, c == '}' ? "\"}\" does not close" : "\"]\" does not close") :
				    refuse(reader, at, "\"%c\" closes nothing", c);
	if (!read_word(reader, &length, &type))
		return false;
	if (!reader->in)
		return refuse(reader, at, "more text after the end of the JSON: everything belongs inside one pair of braces");
	if (c == ':')
		return refuse_here(reader, cJSON_IsObject(reader->in) ? "\",\" or \"}\"" : "\",\" or \"]\"");
	return refuse(reader, at, "a comma is missing before this");
}

/* ---- the tree ---- */

/* A node that begins here. parent: NULL for the root. */
static cJSON *node_new(struct reader *reader, cJSON *parent, size_t item)
{
	struct json_doc *doc = reader->doc;
	struct json_place *places = doc->places;
	const size_t n = doc->n_places;
	cJSON *node;

	/* The capacity doubles, so it is used up only at a power of two. */
	if ((n & (n - 1)) == 0) {
		places = reallocarray(places, n ? n * 2 : 1, sizeof(*places));
		if (!places)
			return NULL;
		doc->places = places;
	}
	node = cJSON_CreateNull();
	if (!node)
		return NULL;
	node->valueint = (int)n;
	places[doc->n_places++] = (struct json_place){ node, here(reader), here(reader), parent ? parent->valueint : 0, item };
	if (parent)
		cJSON_AddItemToArray(parent, node);
	else
		doc->root = node;
	return node;
}

static bool read_items(struct reader *reader, cJSON *node);

static bool read_number_or_literal(struct reader *reader, cJSON *node)
{
	const char *word = reader->at;
	size_t length = 0;

	if (!read_word(reader, &length, &node->type))
		return false;
	if (length == 0)
		return refuse_here(reader, "a value");
	if (node->type == cJSON_Number)
		node->valuestring = strndup(word, length);
	return node->type != cJSON_Number || node->valuestring;
}

static bool read_value(struct reader *reader, cJSON *node)
{
	reader->doc->places[node->valueint].value = here(reader);
	if (reader->at == reader->end)
		return refuse_end(reader);
	if (*reader->at == '{' || *reader->at == '[')
		return read_items(reader, node);
	if (*reader->at != '"')
		return read_number_or_literal(reader, node);
	node->type = cJSON_String;
	return read_string(reader, &node->valuestring);
}

static bool read_key(struct reader *reader, cJSON *node)
{
	if (*reader->at != '"')
		return refuse_here(reader, strchr("{}[]:,", *reader->at) ? "a key" : "keys must be in double quotes: a key");
	if (!read_string(reader, &node->string) || !skip_space(reader))
		return false;
	if (*reader->at != ':')
		return refuse_here(reader, "\":\" and the key's value");
	reader->at++;
	return skip_space(reader);
}

/* An item and the comma after it, unless it is the last one. */
static bool read_item(struct reader *reader, cJSON *parent, size_t item)
{
	cJSON *child = node_new(reader, parent, item);
	struct json_position comma;

	if (!child || (cJSON_IsObject(parent) && !read_key(reader, child)) || !read_value(reader, child) || !skip_space(reader))
		return false;
	if (*reader->at != ',')
		return closes(reader) || refuse_next(reader);
	comma = here(reader);
	reader->at++;
	if (!skip_space(reader))
		return false;
	return !closes(reader) || refuse(reader, comma, "trailing comma: nothing follows before the \"%c\"", *reader->at);
}

/* An object or a list, nested at most CONFIG_DEPTH_MAX deep. */
static bool read_items(struct reader *reader, cJSON *node)
{
	const cJSON *around = reader->in;

	if (reader->depth == CONFIG_DEPTH_MAX)
		return refuse(reader, here(reader), "nested deeper than %d", CONFIG_DEPTH_MAX);
	node->type = *reader->at++ == '{' ? cJSON_Object : cJSON_Array;
	reader->in = node;
	reader->depth++;
	if (!skip_space(reader))
		return false;
	for (size_t item = 0; !closes(reader); item++) {
		if (!read_item(reader, node, item))
			return false;
	}
	reader->in = around;
	reader->depth--;
	reader->at++;
	return true;
}

static bool read_root(struct reader *reader)
{
	cJSON *root;

	/* Some Windows editors begin a file with a byte order mark. */
	if (strncmp(reader->at, "\xef\xbb\xbf", 3) == 0)
		reader->at += 3;
	if (!skip_space(reader))
		return false;
	root = node_new(reader, NULL, 0);
	if (!root || !read_value(reader, root) || !skip_space(reader))
		return false;
	return reader->at == reader->end || refuse_next(reader);
}

int json_parse(const char *text, size_t size, struct json_doc **ret, struct json_problem *problem)
{
	_cleanup_free_ char *copy = malloc(size + 1);
	struct reader reader = {
		.at = copy,
		.line_start = copy,
		.line = 1,
		.doc = calloc(1, sizeof(*reader.doc)),
		.problem = problem,
	};

	problem->message[0] = '\0';
	if (copy) {
		reader.end = mempcpy(copy, text, size);
		copy[size] = '\0';
	}
	if (!copy || !reader.doc || !read_root(&reader)) {
		json_free(reader.doc);
		return problem->message[0] ? -EINVAL : -ENOMEM;
	}
	*ret = reader.doc;
	return 0;
}

void json_free(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->root);
	free(doc->places);
	free(doc);
}

/* ---- what is in it ---- */

int json_integer(const cJSON *node, int64_t min, int64_t max, int64_t *ret)
{
	long long value;

	if (strpbrk(node->valuestring, ".eE"))
		return -EINVAL;
	errno = 0;
	value = strtoll(node->valuestring, NULL, 10);
	if (errno == ERANGE || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

void json_path_put_key(struct text_buf *path, const char *key)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-";

	if (!*key || key[strspn(key, plain)])
		text_buf_printf(path, "[\"%s\"]", key);
	else
		text_buf_printf(path, "%s%s", path->len ? "." : "", key);
}

static void put_path(const struct json_doc *doc, const struct json_place *place, struct text_buf *path)
{
	if (place->node == doc->root)
		return;
	put_path(doc, &doc->places[place->parent], path);
	if (place->node->string)
		json_path_put_key(path, place->node->string);
	else
		text_buf_printf(path, "[%u]", place->item);
}

char *json_path(const struct json_doc *doc, const cJSON *node)
{
	struct text_buf path = { 0 };

	put_path(doc, json_place(doc, node), &path);
	return text_buf_take(&path);
}

const char *json_type_name(const cJSON *node)
{
	if (cJSON_IsObject(node))
		return "an object";
	if (cJSON_IsArray(node))
		return "a list";
	if (cJSON_IsString(node))
		return "a string";
	if (cJSON_IsNumber(node))
		return "a number";
	return cJSON_IsBool(node) ? "true or false" : "null";
}
