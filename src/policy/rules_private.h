/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a set of rules, shared by the files that build it and those that match against it. */
#pragma once

#include <schedqos/policy/rules.h>

/* A glob with the length of the literal text at its two ends, which rules out most names. */
struct glob {
	const struct rule *list;
	const char *suffix;
	uint32_t prefix_length, suffix_length;
	char first; /* nearly always this byte rules a name out; NUL: there is no prefix */
	bool is_path;
	bool is_simple; /* nothing but the prefix, one '*' and the suffix */
};

struct rules {
	/* In the order of the files; once finished, each pattern once. list: NULL if it is masked. */
	struct pattern {
		const char *text;
		struct rule *list;
		const struct rule *before; /* the list of an earlier file that this one replaces or masks, or NULL */
		struct source masked;	   /* where, if list is NULL */
	} * patterns;
	size_t n_patterns;

	/* Open addressing; a power of two in size. */
	struct slot {
		uint32_t number; /* 1 + index into patterns, 0: free */
		uint32_t hash;	 /* the upper half: spares most comparisons of texts */
	} * index;
	size_t index_size;

	struct glob *globs; /* the best first */
	size_t n_globs;

	const struct rule **by_id; /* by_id[id - 1] */
	size_t n_rules;
	bool need_cgroup, enforce; /* any of them */

	const struct qos_class *classes;
	size_t n_classes;
	struct tag *tags;
	size_t n_tags, n_assigned; /* those from n_assigned on are for overrides */

	const struct rule **lists; /* those not masked, by file and line */
	size_t n_lists;
};

/* rules_match.c */

uint64_t rules_hash(const char *text);

/* The index slot that holds the pattern, or the free one where it belongs. */
struct slot *rules_slot(const struct rules *rules, const char *text);
