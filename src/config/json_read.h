/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON as people write it: with comments, and with a position for every error. The tree is cJSON's; each node has its
 * position in the text.
 */
#pragma once

#include <stdint.h>

#include <cjson/cJSON.h>

#include <schedqos/util/text.h>

struct json_position {
	uint32_t line, column; /* from 1, in bytes */
};

/* Why a text is not JSON. The message may hold raw bytes of the text. */
struct json_problem {
	struct json_position at;
	char message[160];
};

/* Where a node is. */
struct json_place {
	const cJSON *node;
	struct json_position key;   /* the opening quote of its key; same as value if it has none */
	struct json_position value; /* its first character */
	uint32_t parent; /* index of the place of the object or list it is in; the root's own for the root */
	uint32_t item;	 /* how many siblings come before it */
};

struct json_doc {
	cJSON *root; /* a number's valuestring is the number as written */
	struct json_place *places; /* in the order of the text */
	size_t n_places;
};

/*
 * Parses size bytes (fewer than 4 GiB; need not be NUL-terminated, and are not kept). Returns 0 and the document,
 * -EINVAL and the problem, or -ENOMEM. Of two faults the first one in the text is reported.
 */
int json_parse(const char *text, size_t size, struct json_doc **ret, struct json_problem *problem);
void json_free(struct json_doc *doc);

/* cJSON nodes have no field for private data, so node->valueint holds the index of the node's place. */
static inline const struct json_place *json_place(const struct json_doc *doc, const cJSON *node)
{
	return &doc->places[node->valueint];
}

/* The exact value of a whole number in min..max. Returns 0, -EINVAL for a fraction or an exponent, or -ERANGE. */
int json_integer(const cJSON *node, int64_t min, int64_t max, int64_t *ret);

/*
 * "chrome.thread_qos["a b"][0]": the path from the root to the node, with keys unescaped. The caller
 * frees; NULL without memory.
 */
char *json_path(const struct json_doc *doc, const cJSON *node);

/* Appends a key to such a path. */
void json_path_put_key(struct text_buf *path, const char *key);

/* "an object", "a string" ... */
const char *json_type_name(const cJSON *node);
