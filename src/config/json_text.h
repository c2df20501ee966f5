/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON as people write it: with comments, and with a place for everything that is wrong. cJSON
 * makes the tree; around it are a strict scan of the words before, an index of where each node
 * stands in the text after, and an explanation for a text that cJSON refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/text_buf.h>

#define JSON_DEPTH_MAX	 CONFIG_DEPTH_MAX
#define JSON_MESSAGE_MAX 160

/* Why a text is not JSON. The message may hold raw bytes of the text. */
struct json_problem {
	size_t offset;
	char message[JSON_MESSAGE_MAX];
};

/* Where a node stands. Offsets into json_doc.text. */
struct json_place {
	const cJSON *node;
	uint32_t key;	 /* the opening quote of its key; value when it has none */
	uint32_t value;	 /* its first character */
	uint32_t parent; /* index of the place of the object or list it is in; the root's own for
			    the root */
	uint32_t item;	 /* how many siblings stand before it */
};

struct json_doc {
	cJSON *root;
	char *text; /* the comments blanked; NUL-terminated */
	size_t size;
	struct json_place *places; /* in the order of the text */
	size_t n_places;
	uint32_t *lines; /* offsets at which lines begin */
	size_t n_lines;
};

struct json_position {
	unsigned line, column; /* from 1, in bytes */
};

/*
 * Parses size bytes (fewer than 4 GiB; need not be NUL-terminated). Returns 0 and the document,
 * -EINVAL and the problem, with its position, or -ENOMEM.
 */
int json_parse(const char *text, size_t size, struct json_doc **ret, struct json_problem *problem,
	       struct json_position *position);
void json_free(struct json_doc *doc);

/* cJSON has no room for us in a node, so node->valueint is made the index of its place. */
static inline const struct json_place *json_place(const struct json_doc *doc, const cJSON *node)
{
	return &doc->places[node->valueint];
}

struct json_position json_position(const struct json_doc *doc, size_t offset);

/*
 * The exact value of a whole number in min..max. Returns 0, -EINVAL for a fraction or an exponent,
 * or -ERANGE.
 */
int json_integer(const struct json_doc *doc, const cJSON *node, int64_t min, int64_t max,
		 int64_t *ret);

/* The characters of a number as written; *ret_len of them, not terminated. */
const char *json_number_text(const struct json_doc *doc, const cJSON *node, size_t *ret_len);

/*
 * "chrome.thread_qos["a b"][0]": the way from the root to the node, with keys unescaped. The caller
 * frees; NULL without memory.
 */
char *json_path(const struct json_doc *doc, const cJSON *node);

/* Goes one key further down such a way. */
void json_path_put_key(struct text_buf *path, const char *key);

/* "an object", "a string" ... */
const char *json_type_name(const cJSON *node);

/* Inside the module. */

enum json_token_kind {
	JSON_END,
	JSON_OPEN,  /* { [ */
	JSON_CLOSE, /* } ] */
	JSON_COLON,
	JSON_COMMA,
	JSON_STRING,
	JSON_WORD, /* true, false, null or a number */
};

struct json_token {
	enum json_token_kind kind;
	size_t start, end;
};

/* Blanks comments and checks each word by itself. On false the text up to problem->offset is good.
 */
bool json_scan(char *text, size_t size, struct json_problem *problem);

/* The next token of a scanned text at or after offset. */
struct json_token json_token(const char *text, size_t size, size_t offset);

/*
 * Finds the first token of a scanned text that cannot follow those before it. With whole the end
 * counts as one, too. Returns false when there is none.
 */
bool json_explain(const char *text, size_t size, bool whole, struct json_problem *problem);

/* Line and column by counting from the start: for the one problem that stops a file. */
struct json_position json_count_position(const char *text, size_t offset);
