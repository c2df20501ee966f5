/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads JSON as people write it: with comments, and with a position for every error. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct json_position {
	uint32_t line, column; /* from 1, in bytes */
};

/* Why a text is not valid JSON. The message may contain raw bytes of the text. */
struct json_problem {
	struct json_position at;
	char message[160];
};

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_LIST,
	JSON_OBJECT,
};

struct json_node {
	enum json_type type;
	uint32_t count;		 /* object or list: number of its nodes; number: its length in characters */
	union {
		const char *text; /* string: without escapes; number: as written, not NUL-terminated */
		struct json_node *child; /* object or list: its first node, or NULL */
	};
	uint32_t index;		 /* its place in its object or list, from 0 */
	const char *key;	 /* its key, if it is in an object */
	struct json_node *next;	 /* next node of the same object or list, or NULL */
	const struct json_node *parent;
	struct json_position key_at; /* the opening quote of its key; equal to `at` without a key */
	struct json_position at;     /* its first character */
};

/*
 * Parses `size` bytes (below 4 GiB; need not be NUL-terminated, and are not kept). Returns 0 and the root, which lives
 * as long as the arena; -EINVAL and the first problem in the text; or -ENOMEM. A byte that no text may contain is
 * reported before any other problem.
 */
int json_parse(struct arena **arena, const char *text, size_t size, const struct json_node **ret,
	       struct json_problem *problem);

/* Returns the first node of an object or list, or NULL. */
static inline const struct json_node *json_first(const struct json_node *node)
{
	return node->type == JSON_LIST || node->type == JSON_OBJECT ? node->child : NULL;
}

#define json_each(node, of) for (node = json_first(of); node; node = node->next)

/* Returns the object's member of that key, or NULL. */
const struct json_node *json_member(const struct json_node *object, const char *key);

/*
 * Reads a whole number in min..max exactly. Returns 0, -ERANGE, or -EINVAL for a fraction, an exponent or a malformed
 * number.
 */
int json_integer(const struct json_node *node, int64_t min, int64_t max, int64_t *ret);

/* Returns "an object", "a string" and so on. */
const char *json_type_name(const struct json_node *node);
