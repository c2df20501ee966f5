/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a set of rules, shared by the files that build it and those that match against it. */
#pragma once

#include <string.h>

#include <schedqos/policy/rules.h>

/* The first and the last bytes of a text, up to eight each, so that one comparison does for each end. */
struct ends {
	uint64_t first, last;
};

/*
 * A glob with the literal text at its two ends, which rules out most names. Globs are sorted into
 * buckets by their first byte, else by their last one, so a name has to be compared with three
 * buckets only. Everything that rules out most names is in this one cache line; the pattern's text,
 * which is not, is read only for the rest.
 */
struct glob {
	struct ends ends, mask; /* of the literal text, as far as it goes */
	const struct rule *list;
	uint32_t rank; /* 0: the best */
	uint32_t literal;
	uint32_t prefix_length, suffix_length;
	bool is_path;
	bool is_simple; /* nothing but the prefix, one '*' and the suffix */
};
_Static_assert(sizeof(struct glob) <= 64, "a cache line");

enum {
	BUCKET_FIRST = 0,  /* + the first byte */
	BUCKET_LAST = 256, /* + the last byte */
	BUCKET_ANY = 512,
	BUCKET_COUNT = 513,
};

struct rules {
	/* One list for each pattern added, NULL if it is masked, in the order of the files. */
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

	struct glob *globs; /* by bucket, the best rank first in each */
	size_t n_globs;
	uint32_t buckets[BUCKET_COUNT + 1]; /* where each begins */
	bool has_paths;			    /* some pattern is compared with the path */

	const struct rule **by_id; /* by_id[id - 1] */
	size_t n_rules;

	const char *const *interpreters;
	size_t n_interpreters;

	struct tag *tags;
	size_t n_tags, n_assigned; /* those from n_assigned on are for overrides */

	const struct rule **lists; /* those not masked, by file and line */
	size_t n_lists;
};

static inline struct ends ends_of(const char *first, size_t n_first, const char *last, size_t n_last)
{
	struct ends ends = { 0, 0 };

	n_first = n_first < 8 ? n_first : 8;
	memcpy(&ends.first, first, n_first);
	/* The last byte always in the same place. */
	if (n_last > 8) {
		last += n_last - 8;
		n_last = 8;
	}
	memcpy((char *)&ends.last + 8 - n_last, last, n_last);
	return ends;
}

/* The literal text at the pattern's end. */
static inline const char *glob_suffix(const struct glob *glob)
{
	return strchr(glob->list->pattern, '\0') - glob->suffix_length;
}

/* rules_match.c */

uint64_t rules_hash(const char *text);

/* The index slot that holds the pattern, or the free one where it belongs. */
struct slot *rules_slot(const struct rules *rules, const char *text);

/*
 * The best glob from rank `from` on that matches the name (is_path: the path, for globs with a
 * '/'), if it is better than `best` or that is NULL; else `best`.
 */
const struct glob *rules_best_glob(const struct rules *rules, uint32_t from, const char *name,
				   bool is_path, const struct glob *best);
