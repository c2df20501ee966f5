/* SPDX-License-Identifier: GPL-2.0-only */
/* One pass over the text, which builds the tree and ends at the first fault, told in terms of what was written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#include "json_scan.h"

/* ---- what is in the wrong place ---- */

static bool closes(const struct reader *reader)
{
	return reader->in && next(reader) == (cJSON_IsObject(reader->in) ? '}' : ']');
}

/* what: format of a fault of the bracket that is open, which stands at %u:%u. */
static int refuse_open(const struct reader *reader, const char *what)
{
	const struct json_position open = json_place(reader->doc, reader->in)->value;
	const char *bracket = cJSON_IsObject(reader->in) ? "{" : "[";

	return refuse(reader, here(reader), "%s the \"%s\" opened at %u:%u%s", what, bracket, open.line, open.column,
		      reader->at == reader->end ? " is not closed" : "");
}

static int refuse_end(const struct reader *reader)
{
	if (reader->in)
		return refuse_open(reader, "the text ends, but");
	return refuse(reader, (struct json_position){ 1, 1 }, "empty: write {} for no rules");
}

/* wanted: what was expected instead of what follows. */
static int refuse_here(struct reader *reader, const char *wanted)
{
	const struct json_position at = here(reader);
	const char *s = reader->at;
	size_t length = 0;
	int r;

	if (s == reader->end)
		return refuse_end(reader);
	r = read_word(reader, &length);
	if (r < 0)
		return r;
	if (*s == '"')
		return refuse(reader, at, "%s expected, not a string", wanted);
	return refuse(reader, at, "%s expected, not %.*s", wanted, length ? (int)length : 1, s);
}

/* What follows cannot follow the value before it. */
static int refuse_next(struct reader *reader)
{
	const struct json_position at = here(reader);
	const char c = next(reader);
	size_t length;
	int r;

	if (reader->at == reader->end)
		return refuse_end(reader);
	if (c == '}' || c == ']')
		return reader->in ? refuse_open(reader, c == '}' ? "\"}\" does not close" : "\"]\" does not close") :
				    refuse(reader, at, "\"%c\" closes nothing", c);
	r = read_word(reader, &length);
	if (r < 0)
		return r;
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

static int read_items(struct reader *reader, cJSON *node);

static int read_number_or_literal(struct reader *reader, cJSON *node)
{
	const char *word = reader->at;
	size_t length = 0;
	int r = read_word(reader, &length);

	if (r < 0)
		return r;
	if (length == 0)
		return refuse_here(reader, "a value");
	node->type = *word == 't' ? cJSON_True : *word == 'f' ? cJSON_False : *word == 'n' ? cJSON_NULL : cJSON_Number;
	if (node->type != cJSON_Number)
		return 0;
	node->valuestring = cJSON_malloc(length + 1);
	if (!node->valuestring)
		return -ENOMEM;
	*(char *)mempcpy(node->valuestring, word, length) = '\0';
	return 0;
}

static int read_value(struct reader *reader, cJSON *node)
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

static int read_key(struct reader *reader, cJSON *node)
{
	int r;

	if (next(reader) != '"')
		return refuse_here(reader, strchr("{}[]:,", next(reader)) ? "a key" : "keys must be in double quotes: a key");
	r = read_string(reader, &node->string);
	if (r == 0)
		r = skip_space(reader);
	if (r < 0)
		return r;
	if (next(reader) != ':')
		return refuse_here(reader, "\":\" and the key's value");
	reader->at++;
	return skip_space(reader);
}

/* What follows an item: another one, or the closing bracket. */
static int read_separator(struct reader *reader, bool *ret_more)
{
	const struct json_position comma = here(reader);
	int r;

	*ret_more = next(reader) == ',';
	if (!*ret_more)
		return closes(reader) ? 0 : refuse_next(reader);
	reader->at++;
	r = skip_space(reader);
	if (r == 0 && closes(reader))
		return refuse(reader, comma, "trailing comma: nothing follows before the \"%c\"", next(reader));
	return r;
}

/* Up to the comma after it, which says that there are more, or to the closing bracket. */
static int read_item(struct reader *reader, cJSON *parent, size_t item, bool *ret_more)
{
	cJSON *child = node_new(reader, parent, item);
	int r = child ? 0 : -ENOMEM;

	if (r == 0 && cJSON_IsObject(parent))
		r = read_key(reader, child);
	if (r == 0)
		r = read_value(reader, child);
	if (r == 0)
		r = skip_space(reader);
	return r == 0 ? read_separator(reader, ret_more) : r;
}

/* An object or a list, nested at most JSON_DEPTH_MAX deep. */
static int read_items(struct reader *reader, cJSON *node)
{
	const cJSON *around = reader->in;
	bool more;
	int r;

	if (reader->depth == JSON_DEPTH_MAX)
		return refuse(reader, here(reader), "nested deeper than %d", JSON_DEPTH_MAX);
	node->type = *reader->at++ == '{' ? cJSON_Object : cJSON_Array;
	reader->in = node;
	reader->depth++;
	r = skip_space(reader);
	more = !closes(reader);
	for (size_t item = 0; r == 0 && more; item++)
		r = read_item(reader, node, item, &more);
	if (r < 0)
		return r;
	reader->in = around;
	reader->depth--;
	reader->at++;
	return 0;
}

static int read_root(struct reader *reader)
{
	cJSON *root;
	int r;

	/* Some Windows editors begin a file with a byte order mark. */
	if (left(reader) >= 3 && memcmp(reader->at, "\xef\xbb\xbf", 3) == 0)
		reader->at += 3;
	r = skip_space(reader);
	if (r < 0)
		return r;
	root = node_new(reader, NULL, 0);
	r = root ? read_value(reader, root) : -ENOMEM;
	if (r == 0)
		r = skip_space(reader);
	return r < 0 || reader->at == reader->end ? r : refuse_next(reader);
}

int json_parse(const char *text, size_t size, struct json_doc **ret, struct json_problem *problem)
{
	_cleanup_free_ char *string = malloc(size + 1);
	struct reader reader = {
		.at = text,
		.end = text + size,
		.line_start = text,
		.line = 1,
		.doc = calloc(1, sizeof(*reader.doc)),
		.problem = problem,
		.string = string,
	};
	int r = string && reader.doc ? read_root(&reader) : -ENOMEM;

	if (r < 0)
		json_free(reader.doc);
	else
		*ret = reader.doc;
	return r;
}

void json_free(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->root);
	free(doc->places);
	free(doc);
}
