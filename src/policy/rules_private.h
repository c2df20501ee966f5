/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a set of rules, shared by the files that build it and those that match against it. */
#pragma once

#include <schedqos/policy/rules.h>
#include <schedqos/policy/rules_trace.h>

/* A glob with the length of the literal text at its two ends, which rules out most names. */
struct glob {
	const struct rule *list;
	const char *suffix;
	uint32_t prefix_length, suffix_length;
	char first; /* nearly always this byte rules a name out; NUL: there is no prefix */
	bool is_path;
};

/* list: NULL if it is masked. */
struct pattern {
	const char *text;
	struct rule *list;
	const struct rule *before; /* the list of an earlier file that this one replaces or masks, or NULL */
	struct source source;
};

/* rules_match.c */

/* Where the index has the pattern, or the free place where it belongs. */
uint32_t *rules_slot(const struct rules *rules, const char *text);
