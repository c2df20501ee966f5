/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cgroup is looked up at each exec. To compare each of 1,000 groups with each component of its path takes 0.2 ms, ten
 * times what all else about an exec does. So patterns without wildcards, of which there may be one for each of many
 * cgroups, are found by a binary search, and most globs are ruled out by one byte.
 */
#include "group_index.h"

#include <linux/limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/pattern.h>
#include <schedqos/util/cleanup.h>

struct group_name {
	const char *pattern;
	size_t number;
};

struct group_glob {
	struct group_name is;
	size_t prefix_length; /* of the literal text at its beginning ... */
	char prefix_last;     /* ... and its last byte, which differs most often */
	bool is_path;
};

struct group_index {
	struct group_name *exact; /* sorted; one with a slash is only ever equal to a path */
	size_t n_exact;
	struct group_glob *globs;
	size_t n_globs;
};

static int compare(const void *va, const void *vb)
{
	const struct group_name *a = va, *b = vb;

	return strcmp(a->pattern, b->pattern);
}

static void add(struct group_index *index, const char *pattern, size_t number)
{
	const size_t prefix_length = strcspn(pattern, "*?[\\");

	if (!pattern_is_glob(pattern)) {
		index->exact[index->n_exact++] = (struct group_name){ pattern, number };
		return;
	}
	index->globs[index->n_globs++] = (struct group_glob){
		.is = { pattern, number },
		.prefix_length = prefix_length,
		.prefix_last = prefix_length ? pattern[prefix_length - 1] : '\0',
		.is_path = strchr(pattern, '/'),
	};
}

struct group_index *group_index_new(const char *const *patterns, size_t n_patterns)
{
	struct group_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->exact = calloc(n_patterns + 1, sizeof(*index->exact));
	index->globs = calloc(n_patterns + 1, sizeof(*index->globs));
	if (!index->exact || !index->globs) {
		group_index_free(index);
		return NULL;
	}
	for (size_t i = 0; i < n_patterns; i++) {
		if (patterns[i])
			add(index, patterns[i], i);
	}
	qsort(index->exact, index->n_exact, sizeof(*index->exact), compare);
	return index;
}

void group_index_free(struct group_index *index)
{
	if (!index)
		return;
	free(index->exact);
	free(index->globs);
	free(index);
}

static const struct group_name *find_exact(const struct group_index *index, const char *text)
{
	const struct group_name key = { .pattern = text };

	return bsearch(&key, index->exact, index->n_exact, sizeof(*index->exact), compare);
}

static bool glob_holds(const struct group_glob *glob, const char *text, size_t length)
{
	if (glob->prefix_length > length ||
	    (glob->prefix_length && text[glob->prefix_length - 1] != glob->prefix_last))
		return false;
	return pattern_match(glob->is.pattern, text);
}

/* A cgroup around the one that is looked up, or that one itself. */
struct level {
	const char *path, *name; /* name: the path's last component */
	size_t path_length, name_length;
};

static void find_level(const struct group_index *index, const struct level *level,
		       void (*found)(void *context, size_t number), void *context)
{
	const struct group_name *exact[] = { find_exact(index, level->path), find_exact(index, level->name) };

	for (size_t i = 0; i < array_size(exact); i++) {
		if (exact[i])
			found(context, exact[i]->number);
	}
	for (size_t i = 0; i < index->n_globs; i++) {
		const struct group_glob *glob = &index->globs[i];

		if (glob->is_path ? glob_holds(glob, level->path, level->path_length) :
				    glob_holds(glob, level->name, level->name_length))
			found(context, glob->is.number);
	}
}

void group_index_find(const struct group_index *index, const char *cgroup, void (*found)(void *context, size_t number),
		      void *context)
{
	char path[PATH_MAX];

	if ((!index->n_exact && !index->n_globs) || *cgroup != '/' || strlen(cgroup) >= sizeof(path))
		return;
	strcpy(path, cgroup);
	for (char *slash = path, *end; slash; slash = end) {
		const size_t length = strcspn(slash + 1, "/");

		end = slash[1 + length] ? slash + 1 + length : NULL;
		if (end)
			*end = '\0';
		find_level(index, &(struct level){ path, slash + 1, (size_t)(slash + 1 - path) + length, length }, found,
			   context);
		if (end)
			*end = '/';
	}
}
