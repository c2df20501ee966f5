/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON as people write it: with comments, and with a position for every error. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct json_position {
	uint32_t line, column; /* from 1, in bytes */
};

/* Why a text is not JSON. The message may hold raw bytes of the text. */
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
	uint32_t count;		 /* of an object or a list: how many nodes are in it; of a number: its characters */
	union {
		const char *text; /* of a string, without escapes; of what begins as a number, as it is written, without
				     a NUL */
		struct json_node *child; /* of an object or a list: the first in it, or NULL */
	};
	const char *key;	 /* in an object */
	struct json_node *next;	 /* beside it, or NULL */
	const struct json_node *parent;
	struct json_position key_at; /* the opening quote of its key; same as at if it has none */
	struct json_position at;     /* its first character */
};

/*
 * Parses size bytes (fewer than 4 GiB; need not be NUL-terminated, and are not kept). Returns 0 and the root, which
 * lives as long as the arena, -EINVAL and the problem, or -ENOMEM. Of two faults the first one in the text is reported,
 * but before all a byte that no text has.
 */
int json_parse(struct arena **arena, const char *text, size_t size, const struct json_node **ret,
	       struct json_problem *problem);

/* The first in it, NULL if it can hold none. */
static inline const struct json_node *json_first(const struct json_node *node)
{
	return node->type == JSON_LIST || node->type == JSON_OBJECT ? node->child : NULL;
}

#define json_each(node, of) for (node = json_first(of); node; node = node->next)

/* The object's member of that key, or NULL. */
const struct json_node *json_member(const struct json_node *object, const char *key);

/*
 * The exact value of a whole number in min..max. Returns 0, -EINVAL for a fraction, an exponent or what is no number at
 * all although it begins like one, or -ERANGE.
 */
int json_integer(const struct json_node *node, int64_t min, int64_t max, int64_t *ret);

/* "an object", "a string" ... */
const char *json_type_name(const struct json_node *node);
