/* SPDX-License-Identifier: GPL-2.0-only */
#include "json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/text_buf.h>

struct json_position json_count_position(const char *text, size_t offset)
{
	struct json_position position = { .line = 1 };
	size_t line = 0;

	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			position.line++;
			line = i + 1;
		}
	}
	position.column = offset - line + 1;
	return position;
}

struct json_position json_position(const struct json_doc *doc, size_t offset)
{
	size_t low = 0, high = doc->n_lines;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (doc->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return (struct json_position){ .line = low + 1, .column = offset - doc->lines[low] + 1 };
}

static int index_lines(struct json_doc *doc)
{
	size_t n = 1;

	for (size_t i = 0; i < doc->size; i++)
		n += doc->text[i] == '\n';
	doc->lines = malloc(n * sizeof(*doc->lines));
	if (!doc->lines)
		return -ENOMEM;
	doc->lines[doc->n_lines++] = 0;
	for (size_t i = 0; i < doc->size; i++) {
		if (doc->text[i] == '\n')
			doc->lines[doc->n_lines++] = i + 1;
	}
	return 0;
}

/* At most JSON_DEPTH_MAX deep, as everything here that recurs over the tree. */
static size_t count_nodes(const cJSON *node)
{
	const cJSON *child;
	size_t n = 1;

	cJSON_ArrayForEach (child, node)
		n += count_nodes(child);
	return n;
}

/*
 * Gives the node whose text begins at `start` (and its key at `key`) its place, then its children
 * theirs. cJSON keeps members in the order of the text, duplicates too, so that tree and text go in
 * step. Returns where the node's text ends.
 */
static size_t index_node(struct json_doc *doc, cJSON *node, size_t key, size_t start,
			 struct json_place at)
{
	struct json_token token = json_token(doc->text, doc->size, start);
	size_t end = token.end;
	cJSON *child;

	at.node = node;
	at.value = token.start;
	at.key = node->string ? key : token.start;
	node->valueint = doc->n_places;
	doc->places[doc->n_places++] = at;
	if (token.kind != JSON_OPEN)
		return end;
	at = (struct json_place){ .parent = node->valueint };
	cJSON_ArrayForEach (child, node) {
		token = json_token(doc->text, doc->size, end); /* the key, or the value of a list */
		key = token.start;
		if (child->string)
			token = json_token(doc->text, doc->size, token.end); /* the colon */
		end = index_node(doc, child, key, child->string ? token.end : key, at);
		token = json_token(doc->text, doc->size, end);
		if (token.kind == JSON_COMMA)
			end = token.end;
		at.item++;
	}
	return json_token(doc->text, doc->size, end).end;
}

static int index_nodes(struct json_doc *doc)
{
	doc->places = malloc(count_nodes(doc->root) * sizeof(*doc->places));
	if (!doc->places)
		return -ENOMEM;
	index_node(doc, doc->root, 0, 0, (struct json_place){ .parent = 0 });
	return 0;
}

static struct json_doc *doc_new(const char *text, size_t size)
{
	struct json_doc *doc = calloc(1, sizeof(*doc));

	if (!doc)
		return NULL;
	doc->size = size;
	doc->text = malloc(size + 1);
	if (!doc->text) {
		free(doc);
		return NULL;
	}
	if (size)
		memcpy(doc->text, text, size);
	doc->text[size] = '\0';
	return doc;
}

void json_free(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->root);
	free(doc->lines);
	free(doc->places);
	free(doc->text);
	free(doc);
}

/* The words are checked first, but of two faults people are told the one that they read first. */
static int build(struct json_doc *doc, struct json_problem *problem)
{
	int r;

	if (!json_scan(doc->text, doc->size, problem)) {
		json_explain(doc->text, problem->offset, false, problem);
		return -EINVAL;
	}
	doc->root = cJSON_ParseWithLengthOpts(doc->text, doc->size + 1, NULL, true);
	if (!doc->root)
		return json_explain(doc->text, doc->size, true, problem) ? -EINVAL : -ENOMEM;
	r = index_lines(doc);
	return r < 0 ? r : index_nodes(doc);
}

int json_parse(const char *text, size_t size, struct json_doc **ret, struct json_problem *problem,
	       struct json_position *position)
{
	struct json_doc *doc = doc_new(text, size);
	int r;

	if (!doc)
		return -ENOMEM;
	r = build(doc, problem);
	if (r == -EINVAL)
		*position = json_count_position(doc->text, problem->offset);
	if (r < 0)
		json_free(doc);
	else
		*ret = doc;
	return r;
}

const char *json_number_text(const struct json_doc *doc, const cJSON *node, size_t *ret_len)
{
	struct json_token token = json_token(doc->text, doc->size, json_place(doc, node)->value);

	*ret_len = token.end - token.start;
	return doc->text + token.start;
}

int json_integer(const struct json_doc *doc, const cJSON *node, int64_t min, int64_t max,
		 int64_t *ret)
{
	size_t len;
	const char *text = json_number_text(doc, node, &len);
	char *end;
	long long value;

	if (memchr(text, '.', len) || memchr(text, 'e', len) || memchr(text, 'E', len))
		return -EINVAL;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno == ERANGE || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

static bool is_plain_key(const char *key)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_+-";

	return *key && key[strspn(key, plain)] == '\0';
}

void json_path_put_key(struct text_buf *path, const char *key)
{
	if (!is_plain_key(key))
		text_buf_printf(path, "[\"%s\"]", key);
	else
		text_buf_printf(path, "%s%s", path->len ? "." : "", key);
}

static void put_path(const struct json_doc *doc, const struct json_place *place,
		     struct text_buf *path)
{
	const char *key = place->node->string;

	if (place->node == doc->root)
		return;
	put_path(doc, &doc->places[place->parent], path);
	if (!key)
		text_buf_printf(path, "[%u]", place->item);
	else
		json_path_put_key(path, key);
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
