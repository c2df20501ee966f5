/* SPDX-License-Identifier: GPL-2.0-only */
#include "rules_private.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Longer literal text first. */
static int compare_ranks(const void *va, const void *vb)
{
	const struct glob *a = va, *b = vb;

	if (a->literal != b->literal)
		return a->literal > b->literal ? -1 : 1;
	return source_compare(&a->list->source, &b->list->source);
}

/* The literal text at the pattern's end. */
static const char *suffix_of(const struct glob *glob)
{
	return strchr(glob->list->pattern, '\0') - glob->suffix_length;
}

static unsigned bucket_of(const struct glob *glob)
{
	if (glob->prefix_length)
		return BUCKET_FIRST + (unsigned char)glob->list->pattern[0];
	if (glob->suffix_length)
		return BUCKET_LAST + (unsigned char)suffix_of(glob)[glob->suffix_length - 1];
	return BUCKET_ANY;
}

static int compare_buckets(const void *va, const void *vb)
{
	const struct glob *a = va, *b = vb;
	unsigned bucket_a = bucket_of(a), bucket_b = bucket_of(b);

	if (bucket_a != bucket_b)
		return bucket_a < bucket_b ? -1 : 1;
	return a->rank < b->rank ? -1 : 1;
}

static struct ends ends_of(const char *first, size_t n_first, const char *last, size_t n_last)
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

static struct glob make_glob(const struct rule *list)
{
	static const char ones[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	const char *pattern = list->pattern, *star = strrchr(pattern, '*');
	struct glob glob = {
		.list = list,
		.literal = (uint32_t)pattern_literal(pattern),
		.prefix_length = (uint32_t)strcspn(pattern, "*?[\\"),
		.is_path = strchr(pattern, '/') != NULL,
	};

	/* A '*' in brackets is a literal one. */
	if (star && !strpbrk(star, "?[\\") && !strchr(pattern, '[')) {
		glob.suffix_length = (uint32_t)strlen(star + 1);
		glob.is_simple = star == pattern + glob.prefix_length;
	}
	glob.ends = ends_of(pattern, glob.prefix_length, suffix_of(&glob), glob.suffix_length);
	glob.mask = ends_of(ones, glob.prefix_length < 8 ? glob.prefix_length : 8, ones,
			    glob.suffix_length < 8 ? glob.suffix_length : 8);
	return glob;
}

int rules_finish_globs(struct rules *rules)
{
	size_t n = 0;

	rules->globs = calloc(rules->n_lists + 1, sizeof(*rules->globs));
	if (!rules->globs)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n_lists; i++) {
		if (pattern_is_glob(rules->lists[i]->pattern))
			rules->globs[rules->n_globs++] = make_glob(rules->lists[i]);
		if (strchr(rules->lists[i]->pattern, '/'))
			rules->has_paths = true;
	}
	qsort(rules->globs, rules->n_globs, sizeof(*rules->globs), compare_ranks);
	for (size_t i = 0; i < rules->n_globs; i++)
		rules->globs[i].rank = (uint32_t)i;
	qsort(rules->globs, rules->n_globs, sizeof(*rules->globs), compare_buckets);
	for (unsigned bucket = 0; bucket <= BUCKET_COUNT; bucket++) {
		while (n < rules->n_globs && bucket_of(&rules->globs[n]) < bucket)
			n++;
		rules->buckets[bucket] = (uint32_t)n;
	}
	return 0;
}

/* A name that globs are compared with. */
struct candidate {
	const char *name;
	size_t length;
	struct ends ends;
	bool is_path;
};

static bool glob_matches(const struct glob *glob, const struct candidate *candidate)
{
	const char *name = candidate->name, *pattern = glob->list->pattern;
	size_t length = candidate->length;

	if (length < (size_t)glob->prefix_length + glob->suffix_length)
		return false;
	/* The rest of a prefix or suffix of more than eight bytes. */
	if (memcmp(name, pattern, glob->prefix_length) != 0 ||
	    memcmp(name + length - glob->suffix_length, suffix_of(glob), glob->suffix_length) != 0)
		return false;
	return glob->is_simple || fnmatch(pattern, name, 0) == 0;
}

/* The best matching glob of a bucket, from rank `from` on, or NULL. */
static const struct glob *bucket_best(const struct rules *rules, unsigned bucket, uint32_t from,
				      const struct candidate *candidate)
{
	for (uint32_t i = rules->buckets[bucket]; i < rules->buckets[bucket + 1]; i++) {
		const struct glob *glob = &rules->globs[i];

		if (((candidate->ends.first & glob->mask.first) ^ glob->ends.first) |
		    ((candidate->ends.last & glob->mask.last) ^ glob->ends.last))
			continue;
		if (glob->rank >= from && glob->is_path == candidate->is_path &&
		    glob_matches(glob, candidate))
			return glob;
	}
	return NULL;
}

const struct glob *rules_best_glob(const struct rules *rules, uint32_t from, const char *name,
				   bool is_path, const struct glob *best)
{
	size_t length = strlen(name);
	const struct candidate candidate = {
		.name = name,
		.length = length,
		.ends = ends_of(name, length, name, length),
		.is_path = is_path,
	};
	const unsigned buckets[] = {
		BUCKET_FIRST + (unsigned char)name[0],
		BUCKET_LAST + (length ? (unsigned char)name[length - 1] : 0),
		BUCKET_ANY,
	};

	if (!rules->n_globs)
		return best;
	for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
		const struct glob *glob = bucket_best(rules, buckets[i], from, &candidate);

		if (glob && (!best || glob->rank < best->rank))
			best = glob;
	}
	return best;
}
