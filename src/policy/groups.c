/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/config.h>

#include <errno.h>
#include <linux/limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>

/* ---- an index of patterns ---- */

/*
 * A cgroup is looked up at each exec. To compare each of 1,000 groups with each component of its path takes 0.2 ms, ten
 * times what all else about an exec does. So patterns without wildcards, of which there may be one for each of many
 * cgroups, are found by a binary search, and most globs are ruled out by one byte.
 */

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

static void group_index_free(struct group_index *index)
{
	if (!index)
		return;
	free(index->exact);
	free(index->globs);
	free(index);
}

/* Numbers them from 0 on; NULL stands for none. The texts must outlive it. NULL without memory. */
static struct group_index *group_index_new(const char *const *patterns, size_t n_patterns)
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

/* Calls found for the number of each pattern that holds for the tasks of a cgroup, for some more than once: see group_holds. */
static void group_index_find(const struct group_index *index, const char *cgroup, void (*found)(void *context, size_t number),
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

/* ---- what groups allow ---- */

/* ---- which group holds ---- */

bool group_holds(const struct group *group, const char *cgroup)
{
	const bool is_path = strchr(group->pattern, '/');
	char part[PATH_MAX];
	bool holds = false;

	if (group->is_masked || *cgroup != '/' || strlen(cgroup) >= sizeof(part))
		return false;
	strcpy(part, cgroup);
	for (char *component = part, *end; component && !holds; component = end) {
		end = strchr(component + 1, '/');
		if (end)
			*end = '\0';
		holds = pattern_match(group->pattern, is_path ? part : component + 1);
		if (end)
			*end = '/';
	}
	return holds;
}

/* ---- which class is higher ---- */

/* The first number that differs decides; the smaller one is higher. */
struct rank {
	int policy;
	int8_t nice;
	uint64_t slice;
	enum io_class io;
};

static struct rank rank_of(const struct qos_attr *attr)
{
	struct rank rank = { .slice = UINT64_MAX, .io = IO_CLASS_BEST_EFFORT };

	if ((attr->has & QOS_HAS_POLICY) && attr->policy == POLICY_DEADLINE) {
		rank.policy = -100;
	} else if ((attr->has & QOS_HAS_POLICY) && !task_policy_is_fair(attr->policy)) {
		rank.policy = -attr->priority;
	} else if ((attr->has & QOS_HAS_POLICY) && attr->policy == POLICY_IDLE) {
		rank.policy = 1;
	} else {
		if (attr->has & QOS_HAS_NICE)
			rank.nice = attr->nice;
		if ((attr->has & QOS_HAS_RUNTIME) && attr->runtime)
			rank.slice = attr->runtime;
	}
	if ((attr->has & QOS_HAS_IO_CLASS) && attr->io_class != IO_CLASS_NONE)
		rank.io = attr->io_class;
	return rank;
}

int class_compare(const struct qos_class *a, const struct qos_class *b)
{
	const struct rank ra = rank_of(&a->attr), rb = rank_of(&b->attr);

	if (ra.policy != rb.policy)
		return ra.policy < rb.policy ? -1 : 1;
	if (ra.nice != rb.nice)
		return ra.nice < rb.nice ? -1 : 1;
	if (ra.slice != rb.slice)
		return ra.slice < rb.slice ? -1 : 1;
	return (int)ra.io - (int)rb.io;
}

/* ---- limits ---- */

/* The classes that are denied together, and what becomes of each tag then. */
struct limit {
	bool *denied;	/* by class */
	uint16_t *tags; /* by tag */
};

struct limits {
	const struct group *groups;
	struct group_index *index; /* of the groups */
	const struct qos_class *classes;
	size_t n_classes;
	const struct tag *tags;
	size_t n_tags;
	struct limit *limits; /* the first one is number 1 */
	size_t n_limits;
	bool *denied; /* for the cgroup that is looked up */
};

static struct group_index *index_groups(const struct group *groups, size_t n_groups)
{
	_cleanup_free_ const char **patterns = calloc(n_groups + 1, sizeof(*patterns));

	for (size_t i = 0; patterns && i < n_groups; i++)
		patterns[i] = groups[i].is_masked ? NULL : groups[i].pattern;
	return patterns ? group_index_new(patterns, n_groups) : NULL;
}

struct limits *limits_new(const struct group *groups, size_t n_groups, const struct rules *rules,
			  const struct qos_class *classes, size_t n_classes)
{
	struct limits *limits = calloc(1, sizeof(*limits));

	if (!limits)
		return NULL;
	*limits = (struct limits){ .groups = groups, .classes = classes, .n_classes = n_classes };
	limits->tags = rules_tags(rules, &limits->n_tags);
	limits->denied = calloc(n_classes, sizeof(*limits->denied));
	limits->index = index_groups(groups, n_groups);
	if (!limits->denied || !limits->index) {
		limits_free(limits);
		return NULL;
	}
	return limits;
}

void limits_free(struct limits *limits)
{
	if (!limits)
		return;
	for (size_t i = 0; i < limits->n_limits; i++) {
		free(limits->limits[i].denied);
		free(limits->limits[i].tags);
	}
	group_index_free(limits->index);
	free(limits->limits);
	free(limits->denied);
	free(limits);
}

static void deny_above(struct limits *limits, const struct qos_class *max)
{
	for (size_t i = 0; max && i < limits->n_classes; i++) {
		if (class_compare(&limits->classes[i], max) < 0)
			limits->denied[i] = true;
	}
}

/* Adds what the group denies. */
static void deny(void *context, size_t number)
{
	struct limits *limits = context;
	const struct group *group = &limits->groups[number];
	const struct qos_class *classes = limits->classes;

	if (group->max)
		deny_above(limits, qos_class_find(classes, limits->n_classes, group->max));
	for (size_t i = 0; i < group->n_classes; i++) {
		const struct qos_class *class = qos_class_find(classes, limits->n_classes, group->classes[i].name);

		if (class && !group->classes[i].is_allowed)
			limits->denied[class - classes] = true;
	}
}

/* The highest of the allowed classes below this one; if there is none, the lowest of all. */
static uint16_t next_lower(const struct limits *limits, const bool *denied, uint16_t from)
{
	const struct qos_class *classes = limits->classes;
	uint16_t lowest = from, next = from;

	for (uint16_t i = 0; i < limits->n_classes; i++) {
		if (class_compare(&classes[i], &classes[lowest]) > 0)
			lowest = i;
		if (!denied[i] && class_compare(&classes[i], &classes[from]) > 0 &&
		    (next == from || class_compare(&classes[i], &classes[next]) < 0))
			next = i;
	}
	return next == from ? lowest : next;
}

/* The same period's tag of another class; without groups there may only be one without a period. */
static uint16_t tag_of_class(const struct limits *limits, uint16_t tag, uint16_t qos_class)
{
	uint16_t found = tag;

	for (uint16_t i = 0; i < limits->n_tags; i++) {
		if (limits->tags[i].qos_class != qos_class)
			continue;
		if (limits->tags[i].period_ns == limits->tags[tag].period_ns)
			return i;
		if (limits->tags[i].period_ns == 0)
			found = i;
	}
	return found;
}

static int fill(const struct limits *limits, struct limit *limit)
{
	limit->denied = calloc(limits->n_classes, sizeof(*limit->denied));
	limit->tags = calloc(limits->n_tags, sizeof(*limit->tags));
	if (!limit->denied || !limit->tags)
		return -ENOMEM;
	memcpy(limit->denied, limits->denied, limits->n_classes * sizeof(*limit->denied));
	for (uint16_t i = 0; i < limits->n_tags; i++) {
		const uint16_t qos_class = limits->tags[i].qos_class;

		limit->tags[i] = i;
		if (limit->denied[qos_class])
			limit->tags[i] = tag_of_class(limits, i, next_lower(limits, limit->denied, qos_class));
	}
	return 0;
}

static int add_limit(struct limits *limits, uint16_t *ret)
{
	struct limit *all;

	if (limits->n_limits == UINT16_MAX)
		return -ENOMEM;
	all = reallocarray(limits->limits, limits->n_limits + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	limits->limits = all;
	all[limits->n_limits] = (struct limit){ 0 };
	if (fill(limits, &all[limits->n_limits]) < 0) {
		free(all[limits->n_limits].denied);
		free(all[limits->n_limits].tags);
		return -ENOMEM;
	}
	*ret = (uint16_t)++limits->n_limits;
	return 0;
}

int limits_find(struct limits *limits, const char *cgroup, const struct qos_class *max, uint16_t *ret)
{
	const size_t size = limits->n_classes * sizeof(*limits->denied);
	bool is_limited = false;

	*ret = 0;
	memset(limits->denied, 0, size);
	deny_above(limits, max);
	group_index_find(limits->index, cgroup, deny, limits);
	for (size_t i = 0; i < limits->n_classes; i++)
		is_limited |= limits->denied[i];
	if (!is_limited)
		return 0;
	for (size_t i = 0; i < limits->n_limits; i++) {
		if (memcmp(limits->limits[i].denied, limits->denied, size) == 0) {
			*ret = (uint16_t)(i + 1);
			return 0;
		}
	}
	return add_limit(limits, ret);
}

uint16_t limits_apply(const struct limits *limits, uint16_t limit, uint16_t tag)
{
	if (!limit || limit > limits->n_limits || tag >= limits->n_tags)
		return tag;
	return limits->limits[limit - 1].tags[tag];
}
