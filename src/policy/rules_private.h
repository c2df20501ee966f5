/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a set of rules, for the files that build it and match against it. */
#pragma once

#include <schedqos/policy/rules.h>
#include <schedqos/policy/rules_trace.h>

/* A glob with the literal text at its two ends, by which most names are ruled out. */
struct glob {
	const struct rule *list;
	const char *suffix;
	uint32_t prefix_length, suffix_length;
	bool is_path;
	uint32_t next; /* 1 + index of the next glob of the same chain; 0 for the last */
};

/*
 * Returns the chain of globs that begin with these two bytes. NUL stands for a byte that is not literal: a glob whose
 * first byte is not literal is chained by its last byte, as the second one here.
 */
static inline uint32_t glob_chain(bool is_path, char first, char second)
{
	return ((unsigned char)first * 31U + (unsigned char)second + is_path * 16U) % GLOB_CHAINS;
}

/* A pattern with its list of rules. list: NULL if the pattern is masked. */
struct pattern {
	const char *text;
	struct rule *list;
	const struct rule *before; /* the list of an earlier file that this one replaces or masks, or NULL */
	struct source source;
};

/* rules_match.c */

/* Returns the place of the pattern in the index, or the free place where it belongs. */
uint32_t *rules_slot(const struct rules *rules, const char *text);
