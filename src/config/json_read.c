/* SPDX-License-Identifier: GPL-2.0-only */
/* The grammar of JSON: builds a tree from tokens, or reports an error in terms of what was written. */
#include "json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

struct reader {
	struct json_doc *doc;
	struct json_lexer lexer;
	struct json_token before, token; /* the last one consumed, and the next */
	size_t open[JSON_DEPTH_MAX];	 /* the brackets around it */
	unsigned depth;
};

#define refuse(reader, offset, ...) json_refuse((reader)->lexer.problem, offset, __VA_ARGS__)

static char bracket(const struct reader *reader)
{
	return reader->depth ? reader->lexer.text[reader->open[reader->depth - 1]] : '\0';
}

static bool closes(const struct reader *reader)
{
	const struct json_token *token = &reader->token;

	return token->kind == JSON_CLOSE && bracket(reader) == (reader->lexer.text[token->start] == '}' ? '{' : '[');
}

/* Goes on to the next token, once the current one is known to be in a valid place. */
static int take(struct reader *reader)
{
	const struct json_token *token = &reader->token;
	int r;

	if (token->cut)
		return -EINVAL;
	reader->before = *token;
	r = json_lex(&reader->lexer, &reader->token);
	if (r == 0 && token->kind == JSON_OPEN && reader->depth == JSON_DEPTH_MAX)
		return refuse(reader, token->start, "nested deeper than %d", JSON_DEPTH_MAX);
	return r;
}

static struct json_position opened_at(const struct reader *reader)
{
	return json_position(reader->doc, reader->open[reader->depth - 1]);
}

static int refuse_end(struct reader *reader)
{
	struct json_position open;

	if (!reader->depth)
		return refuse(reader, 0, "empty: write {} for no rules");
	open = opened_at(reader);
	return refuse(reader, reader->token.start, "the text ends, but the \"%c\" opened at %u:%u is not closed",
		      bracket(reader), open.line, open.column);
}

/* wanted: what was expected instead of the token. */
static int refuse_token(struct reader *reader, const char *wanted)
{
	const struct json_token *token = &reader->token;
	const char *text = reader->lexer.text + token->start;
	size_t len = token->end - token->start;

	if (token->kind == JSON_END)
		return refuse_end(reader);
	if (reader->before.kind == JSON_COMMA && closes(reader))
		return refuse(reader, reader->before.start, "trailing comma: nothing follows before the \"%c\"", *text);
	if (len > JSON_EXCERPT_MAX)
		return refuse(reader, token->start, "%s expected", wanted);
	return refuse(reader, token->start, "%s expected, not %.*s", wanted, (int)len, text);
}

static int refuse_close(struct reader *reader)
{
	size_t start = reader->token.start;
	char close = reader->lexer.text[start];
	struct json_position open;

	if (!reader->depth)
		return refuse(reader, start, "\"%c\" closes nothing", close);
	open = opened_at(reader);
	return refuse(reader, start, "\"%c\" does not close the \"%c\" opened at %u:%u", close, bracket(reader),
		      open.line, open.column);
}

/* The token cannot follow the value before it. */
static int refuse_next(struct reader *reader)
{
	const struct json_token *token = &reader->token;

	if (token->kind == JSON_END)
		return refuse_end(reader);
	if (token->kind == JSON_CLOSE)
		return refuse_close(reader);
	if (!reader->depth)
		return refuse(reader, token->start, "more text after the end of the JSON: everything belongs inside one pair of braces");
	if (token->kind == JSON_COLON)
		return refuse_token(reader, bracket(reader) == '{' ? "\",\" or \"}\"" : "\",\" or \"]\"");
	return refuse(reader, token->start, "a comma is missing before this");
}

static char *copy(const char *s, size_t len)
{
	char *text = cJSON_malloc(len + 1);

	if (text) {
		memcpy(text, s, len);
		text[len] = '\0';
	}
	return text;
}

/* Makes a node that begins at the token. parent: NULL for the root. */
static cJSON *node_new(struct reader *reader, cJSON *parent, size_t item)
{
	struct json_doc *doc = reader->doc;
	struct json_place *places = doc->places;
	size_t n = doc->n_places, start = reader->token.start;
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
	places[doc->n_places++] = (struct json_place){ node, start, start, parent ? parent->valueint : 0, item };
	if (parent)
		cJSON_AddItemToArray(parent, node);
	else
		doc->root = node;
	return node;
}

static int read_items(struct reader *reader, cJSON *node);

static int read_value(struct reader *reader, cJSON *node)
{
	const struct json_token *token = &reader->token;
	const char *text = reader->lexer.text + token->start;

	reader->doc->places[node->valueint].value = token->start;
	if (token->kind == JSON_OPEN)
		return read_items(reader, node);
	if (token->kind != JSON_STRING && token->kind != JSON_WORD)
		return refuse_token(reader, "a value");
	if (token->kind == JSON_STRING) {
		node->type = cJSON_String;
		node->valuestring = copy(reader->lexer.string, reader->lexer.string_length);
	} else if (*text == 't' || *text == 'f' || *text == 'n') {
		node->type = *text == 't' ? cJSON_True : *text == 'f' ? cJSON_False : cJSON_NULL;
		return take(reader);
	} else {
		node->type = cJSON_Number;
		node->valuestring = copy(text, token->end - token->start);
	}
	return node->valuestring ? take(reader) : -ENOMEM;
}

static int read_key(struct reader *reader, cJSON *node)
{
	int r;

	if (reader->token.kind == JSON_WORD)
		return refuse_token(reader, "keys must be in double quotes: a key");
	if (reader->token.kind != JSON_STRING)
		return refuse_token(reader, "a key");
	node->string = copy(reader->lexer.string, reader->lexer.string_length);
	r = node->string ? take(reader) : -ENOMEM;
	if (r < 0)
		return r;
	return reader->token.kind == JSON_COLON ? take(reader) : refuse_token(reader, "\":\" and the key's value");
}

/* What follows an item: another one, or the closing bracket. */
static int read_separator(struct reader *reader, bool *ret_more)
{
	*ret_more = reader->token.kind == JSON_COMMA;
	if (*ret_more)
		return take(reader);
	return closes(reader) ? 0 : refuse_next(reader);
}

/* An object or a list, nested at most JSON_DEPTH_MAX deep. */
static int read_items(struct reader *reader, cJSON *node)
{
	bool more;
	int r;

	reader->open[reader->depth++] = reader->token.start;
	node->type = bracket(reader) == '{' ? cJSON_Object : cJSON_Array;
	r = take(reader);
	more = !closes(reader);
	for (size_t item = 0; r == 0 && more; item++) {
		cJSON *child = node_new(reader, node, item);

		r = child ? 0 : -ENOMEM;
		if (r == 0 && cJSON_IsObject(node))
			r = read_key(reader, child);
		if (r == 0)
			r = read_value(reader, child);
		if (r == 0)
			r = read_separator(reader, &more);
	}
	if (r < 0)
		return r;
	reader->depth--;
	return take(reader);
}

static int read_root(struct reader *reader)
{
	int r = json_lex(&reader->lexer, &reader->token);
	cJSON *root = r < 0 ? NULL : node_new(reader, NULL, 0);

	if (!root)
		return r < 0 ? r : -ENOMEM;
	r = read_value(reader, root);
	return r < 0 || reader->token.kind == JSON_END ? r : refuse_next(reader);
}

static int index_lines(struct json_doc *doc, const char *text, size_t size)
{
	size_t n = 1;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	doc->lines = malloc(n * sizeof(*doc->lines));
	if (!doc->lines)
		return -ENOMEM;
	doc->lines[doc->n_lines++] = 0;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n')
			doc->lines[doc->n_lines++] = i + 1;
	}
	return 0;
}

int json_parse(const char *text, size_t size, struct json_doc **ret, struct json_problem *problem,
	       struct json_position *position)
{
	_cleanup_free_ char *string = malloc(size + 1);
	struct json_doc *doc = calloc(1, sizeof(*doc));
	struct reader reader = {
		.doc = doc,
		.lexer = { .text = text, .size = size, .string = string, .problem = problem },
	};
	int r = string && doc ? index_lines(doc, text, size) : -ENOMEM;

	if (r == 0)
		r = read_root(&reader);
	if (r == -EINVAL)
		*position = json_position(doc, problem->offset);
	if (r < 0)
		json_free(doc);
	else
		*ret = doc;
	return r;
}

void json_free(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->root);
	free(doc->lines);
	free(doc->places);
	free(doc);
}
