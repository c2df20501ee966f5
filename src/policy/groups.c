/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/groups.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- which group holds ---- */

/* Whether the pattern matches the path as it is, or cut behind one of its components. */
static bool matches_a_part(const char *pattern, const char *cgroup, bool components)
{
	char *copy = strdup(cgroup), *at = copy;
	bool matches = false;

	/* Without memory it is limited by what can be told. */
	if (!copy)
		return pattern_match(pattern, cgroup);
	for (char *end; !matches && (end = strchrnul(at + 1, '/')); at = end) {
		const char next = *end;

		*end = 0;
		matches = pattern_match(pattern, components ? at + 1 : copy);
		*end = next;
		if (!next)
			break;
	}
	free(copy);
	return matches;
}

bool group_holds(const struct group *group, const char *cgroup)
{
	return *cgroup == '/' && matches_a_part(group->pattern, cgroup, !strchr(group->pattern, '/'));
}

/* ---- which class is higher ---- */

/* The classes as two numbers each: the higher comes first. */
struct height {
	int policy, nice;
	uint64_t slice;
};

static struct height height_of(const struct qos_attr *attr)
{
	struct height height = { .nice = (attr->has & QOS_HAS_NICE) ? attr->nice : 0, .slice = UINT64_MAX };

	if ((attr->has & QOS_HAS_RUNTIME) && attr->runtime)
		height.slice = attr->runtime;
	if (!(attr->has & QOS_HAS_POLICY) || attr->policy == POLICY_NORMAL || attr->policy == POLICY_BATCH)
		return height;
	switch (attr->policy) {
	case POLICY_DEADLINE:
		return (struct height){ .policy = -100 };
	case POLICY_FIFO:
	case POLICY_RR:
		return (struct height){ .policy = -attr->priority };
	}
	height.policy = 1;
	return height;
}

/* Negative when a is the higher one. */
static int compare(const struct qos_class *a, const struct qos_class *b)
{
	const struct height ha = height_of(&a->attr), hb = height_of(&b->attr);

	if (ha.policy != hb.policy)
		return ha.policy - hb.policy;
	if (ha.nice != hb.nice)
		return ha.nice - hb.nice;
	return (ha.slice > hb.slice) - (ha.slice < hb.slice);
}

bool class_is_higher(const struct qos_class *class, const struct qos_class *other)
{
	return compare(class, other) < 0;
}

/* The highest class below this one that is allowed; else the lowest of all. */
static uint16_t next_lower(const struct qos_class *classes, size_t n_classes, const bool *denies, uint16_t from)
{
	uint16_t lowest = from, next = from;

	for (uint16_t i = 0; i < n_classes; i++) {
		if (compare(&classes[i], &classes[lowest]) > 0)
			lowest = i;
		if (!denies[i] && compare(&classes[i], &classes[from]) > 0 &&
		    (next == from || compare(&classes[i], &classes[next]) < 0))
			next = i;
	}
	return next == from ? lowest : next;
}

/* ---- limits ---- */

struct limit {
	bool *denies;	/* by class: the key */
	uint16_t *tags; /* by tag: what becomes of it */
};

struct limits {
	const struct group *groups;
	size_t n_groups;
	const struct qos_class *classes;
	size_t n_classes;
	const struct tag *tags;
	size_t n_tags;
	struct limit *limits; /* number 1 and on */
	size_t n_limits;
	bool *denies; /* of the path that is looked up */
};

struct limits *limits_new(const struct group *groups, size_t n_groups, const struct rules *rules,
			  const struct qos_class *classes, size_t n_classes)
{
	struct limits *limits = calloc(1, sizeof(*limits));

	if (!limits)
		return NULL;
	*limits = (struct limits){ .groups = groups, .n_groups = n_groups, .classes = classes, .n_classes = n_classes };
	limits->tags = rules_tags(rules, &limits->n_tags);
	limits->denies = calloc(n_classes + 1, sizeof(*limits->denies));
	if (!limits->denies) {
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
		free(limits->limits[i].denies);
		free(limits->limits[i].tags);
	}
	free(limits->limits);
	free(limits->denies);
	free(limits);
}

/* The tag of another class for the same period: rules_finish() has made one for each class. */
static uint16_t tag_of_class(const struct limits *limits, uint16_t qos_class, uint64_t period_ns, uint16_t instead)
{
	for (size_t i = 0; i < limits->n_tags; i++) {
		if (limits->tags[i].qos_class == qos_class && limits->tags[i].period_ns == period_ns)
			return (uint16_t)i;
	}
	return instead;
}

static bool fill_limit(const struct limits *limits, struct limit *limit)
{
	limit->denies = malloc(limits->n_classes * sizeof(*limit->denies));
	limit->tags = malloc(limits->n_tags * sizeof(*limit->tags));
	if (!limit->denies || !limit->tags)
		return false;
	memcpy(limit->denies, limits->denies, limits->n_classes * sizeof(*limit->denies));
	for (size_t i = 0; i < limits->n_tags; i++) {
		const struct tag *tag = &limits->tags[i];

		limit->tags[i] = (uint16_t)i;
		if (limit->denies[tag->qos_class])
			limit->tags[i] = tag_of_class(limits,
						      next_lower(limits->classes, limits->n_classes, limit->denies,
								 tag->qos_class),
						      tag->period_ns, (uint16_t)i);
	}
	return true;
}

static int add_limit(struct limits *limits, uint16_t *ret)
{
	struct limit limit = { 0 }, *all;

	if (limits->n_limits + 1 >= UINT16_MAX || !fill_limit(limits, &limit))
		goto no_memory;
	all = reallocarray(limits->limits, limits->n_limits + 1, sizeof(*all));
	if (!all)
		goto no_memory;
	limits->limits = all;
	all[limits->n_limits++] = limit;
	*ret = (uint16_t)limits->n_limits;
	return 0;
no_memory:
	free(limit.denies);
	free(limit.tags);
	return -ENOMEM;
}

int limits_find(struct limits *limits, const char *cgroup, uint16_t *ret)
{
	const size_t size = limits->n_classes * sizeof(*limits->denies);
	bool any = false;

	memset(limits->denies, 0, size);
	for (size_t i = 0; i < limits->n_groups; i++) {
		if (!group_holds(&limits->groups[i], cgroup))
			continue;
		any = true;
		for (size_t c = 0; c < limits->n_classes; c++)
			limits->denies[c] |= limits->groups[i].denies[c];
	}
	*ret = 0;
	if (!any)
		return 0;
	for (size_t i = 0; i < limits->n_limits; i++) {
		if (memcmp(limits->limits[i].denies, limits->denies, size) == 0) {
			*ret = (uint16_t)(i + 1);
			return 0;
		}
	}
	return add_limit(limits, ret);
}

uint16_t limits_tag(const struct limits *limits, uint16_t limit, uint16_t tag)
{
	if (!limit || !limits || limit > limits->n_limits || tag >= limits->n_tags)
		return tag;
	return limits->limits[limit - 1].tags[tag];
}
