/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/config.h>

#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>

/* ---- which group holds ---- */

bool group_holds(const struct group *group, const char *cgroup)
{
	const bool is_path = strchr(group->pattern, '/');
	char part[PATH_MAX];
	bool holds = false;

	if (*cgroup != '/' || strlen(cgroup) >= sizeof(part))
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
	int64_t by[4];
};

static struct rank rank_of(const struct qos_class *class)
{
	const struct task_attr task = qos_attr_alone(&class->attr);
	const enum io_class io = IO_CLASS(task.io_priority);

	return (struct rank){ {
		task.policy == POLICY_IDLE ? 1 : -attr_rank(task.policy, task.rt_priority),
		task.nice,
		task.slice_ns ? task.slice_ns : INT64_MAX,
		io == IO_CLASS_NONE ? IO_CLASS_BEST_EFFORT : io,
	} };
}

int class_compare(const struct qos_class *a, const struct qos_class *b)
{
	const struct rank ra = rank_of(a), rb = rank_of(b);

	for (size_t i = 0; i < array_size(ra.by); i++) {
		if (ra.by[i] != rb.by[i])
			return ra.by[i] < rb.by[i] ? -1 : 1;
	}
	return 0;
}

/* ---- limits ---- */

struct limits {
	const struct config *config;
	bool *denied; /* a row for each limit, with a place for each class; and one for the cgroup that is looked up */
	size_t n_limits;
	/* The last question, and its answer: a build's programs are all in one cgroup. */
	char cgroup[PATH_MAX];
	const struct qos_class *max;
	uint16_t limit;
};

struct limits *limits_new(const struct config *config)
{
	struct limits *limits = calloc(1, sizeof(*limits));

	if (limits)
		limits->config = config;
	return limits;
}

void limits_free(struct limits *limits)
{
	if (!limits)
		return;
	free(limits->denied);
	free(limits);
}

static bool *row(const struct limits *limits, size_t number)
{
	return &limits->denied[number * limits->config->n_classes];
}

static void deny_above(const struct limits *limits, const struct qos_class *max, bool *denied)
{
	const struct config *config = limits->config;

	for (size_t i = 0; max && i < config->n_classes; i++) {
		if (class_compare(&config->classes[i], max) < 0)
			denied[i] = true;
	}
}

/* Adds what the group denies. */
static void deny(const struct limits *limits, const struct group *group, bool *denied)
{
	const struct qos_class *classes = limits->config->classes;
	const size_t n = limits->config->n_classes;

	if (group->max)
		deny_above(limits, qos_class_find(classes, n, group->max), denied);
	for (size_t i = 0; i < group->n_classes; i++) {
		const struct qos_class *class = qos_class_find(classes, n, group->classes[i].name);

		if (class && !group->classes[i].is_allowed)
			denied[class - classes] = true;
	}
}

/* The highest of the allowed classes below this one; if there is none, the lowest of all. */
static uint16_t next_lower(const struct limits *limits, const bool *denied, uint16_t from)
{
	const struct qos_class *classes = limits->config->classes;
	uint16_t lowest = from, next = from;

	for (uint16_t i = 0; i < limits->config->n_classes; i++) {
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
	const struct tag *tags = limits->config->rules->tags;
	uint16_t found = tag;

	for (size_t i = 0; i < limits->config->rules->n_tags; i++) {
		if (tags[i].qos_class != qos_class)
			continue;
		if (tags[i].period_ns == tags[tag].period_ns)
			return (uint16_t)i;
		if (tags[i].period_ns == 0)
			found = (uint16_t)i;
	}
	return found;
}

static int find(struct limits *limits, const char *cgroup, const struct qos_class *max, uint16_t *ret)
{
	const struct config *config = limits->config;
	const size_t size = config->n_classes * sizeof(bool);
	bool *denied = reallocarray(limits->denied, limits->n_limits + 1, size);
	size_t same = 0;

	if (!denied)
		return -ENOMEM;
	limits->denied = denied;
	denied = row(limits, limits->n_limits);
	memset(denied, false, size);
	deny_above(limits, max, denied);
	for (size_t i = 0; i < config->n_groups; i++) {
		if (group_holds(&config->groups[i], cgroup))
			deny(limits, &config->groups[i], denied);
	}
	if (!memchr(denied, 1, size)) {
		*ret = 0;
		return 0;
	}
	while (memcmp(row(limits, same), denied, size) != 0)
		same++;
	if (same == UINT16_MAX)
		return -ENOMEM;
	if (same == limits->n_limits)
		limits->n_limits++;
	*ret = (uint16_t)(same + 1);
	return 0;
}

int limits_find(struct limits *limits, const char *cgroup, const struct qos_class *max, uint16_t *ret)
{
	int r;

	if (limits->max == max && strcmp(limits->cgroup, cgroup) == 0) {
		*ret = limits->limit;
		return 0;
	}
	r = find(limits, cgroup, max, ret);
	if (r < 0 || strlen(cgroup) >= sizeof(limits->cgroup))
		return r;
	strcpy(limits->cgroup, cgroup);
	limits->max = max;
	limits->limit = *ret;
	return 0;
}

uint16_t limits_apply(const struct limits *limits, uint16_t limit, uint16_t tag)
{
	const bool *denied = limit && limit <= limits->n_limits ? row(limits, limit - 1) : NULL;
	const struct tag *tags = limits->config->rules->tags;

	if (!denied || tag == TAG_NONE || !denied[tags[tag].qos_class])
		return tag;
	return tag_of_class(limits, tag, next_lower(limits, denied, tags[tag].qos_class));
}
