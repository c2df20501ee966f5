/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares classes, and computes for the plan which classes the groups and limits deny to a cgroup. */
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
	bool *denied; /* a row of all classes for each limit, and one more for the limit that is being looked up */
	size_t n_limits;
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

static void deny_above(const struct config *config, const struct qos_class *max, bool *denied)
{
	for (size_t i = 0; max && i < config->n_classes && class_compare(&config->classes[i], max) < 0; i++)
		denied[i] = true;
}

/* Adds the classes that the group denies. */
static void deny(const struct config *config, const struct group *group, bool *denied)
{
	if (group->max)
		deny_above(config, qos_class_find(config->classes, config->n_classes, group->max), denied);
	for (size_t i = 0; i < group->n_classes; i++) {
		const char *name = group->classes[i].name;

		if (!group->classes[i].is_allowed)
			denied[qos_class_find(config->classes, config->n_classes, name) - config->classes] = true;
	}
}

/* Returns the highest allowed class below this one, or the lowest class of all if there is none. */
static const struct qos_class *next_lower(const struct config *config, const bool *denied, const struct qos_class *from)
{
	for (size_t i = 0; i < config->n_classes; i++) {
		if (!denied[i] && class_compare(&config->classes[i], from) > 0)
			return &config->classes[i];
	}
	return &config->classes[config->n_classes - 1];
}

/*
 * Returns the tag of another class at the same period, or without a period if there is no such tag: without groups,
 * rules_finish does not make a tag for each class at each period.
 */
static uint16_t tag_of_class(const struct rules *rules, uint16_t tag, const struct qos_class *class)
{
	const uint16_t found = tag == TAG_NONE ? TAG_NONE : rules_tag_of(rules, class, rules->tags[tag].period_ns);

	return found != TAG_NONE ? found : rules_tag_of(rules, class, 0);
}

/* Returns one more row, which denies nothing. The caller passes it to keep_row. Returns NULL if out of memory. */
static bool *new_row(struct limits *limits)
{
	const size_t size = limits->config->n_classes * sizeof(bool);
	bool *denied = reallocarray(limits->denied, limits->n_limits + 1, size);

	if (!denied)
		return NULL;
	limits->denied = denied;
	return memset(row(limits, limits->n_limits), false, size);
}

/*
 * Stores the number of the new row, or of an equal one in place of it; 0 if the row denies nothing. Returns 0, or
 * -ENOMEM if there are too many rows.
 */
static int keep_row(struct limits *limits, uint16_t *ret)
{
	const size_t size = limits->config->n_classes * sizeof(bool);
	const bool *denied = row(limits, limits->n_limits);
	size_t same = 0;

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
	const struct config *config = limits->config;
	bool *denied = new_row(limits);

	if (!denied)
		return -ENOMEM;
	deny_above(config, max, denied);
	for (size_t i = 0; i < config->n_groups; i++) {
		if (group_holds(&config->groups[i], cgroup))
			deny(config, &config->groups[i], denied);
	}
	return keep_row(limits, ret);
}

int limits_join(struct limits *limits, uint16_t a, uint16_t b, const struct qos_class *max, uint16_t *ret)
{
	const uint16_t numbers[] = { a, b };
	bool *denied = new_row(limits);

	if (!denied)
		return -ENOMEM;
	deny_above(limits->config, max, denied);
	for (size_t i = 0; i < array_size(numbers); i++) {
		for (size_t j = 0; numbers[i] && j < limits->config->n_classes; j++)
			denied[j] |= row(limits, numbers[i] - 1)[j];
	}
	return keep_row(limits, ret);
}

/* Returns the highest class that the limit allows, or the lowest class of all if it allows none. */
static const struct qos_class *highest_allowed(const struct limits *limits, uint16_t number)
{
	const bool *denied = row(limits, number - 1);
	size_t i = 0;

	while (i < limits->config->n_classes - 1 && denied[i])
		i++;
	return &limits->config->classes[i];
}

int limits_carry(struct limits *limits, const struct limits *from, uint16_t number, uint16_t *ret)
{
	const struct config *config = limits->config;
	bool *denied = new_row(limits);

	if (!denied)
		return -ENOMEM;
	/* A class with a new name may be above the limit as well. */
	if (number) {
		const struct qos_class *max = highest_allowed(from, number);
		const struct qos_class *now = qos_class_find(config->classes, config->n_classes, max->name);

		deny_above(config, now ? now : max, denied);
	}
	for (size_t i = 0; number && i < from->config->n_classes; i++) {
		const struct qos_class *class =
			qos_class_find(config->classes, config->n_classes, from->config->classes[i].name);

		if (class && row(from, number - 1)[i])
			denied[class - config->classes] = true;
	}
	return keep_row(limits, ret);
}

uint16_t limits_max(const struct limits *limits, uint16_t limit, uint16_t like)
{
	const struct config *config = limits->config;
	const bool *denied = limit ? row(limits, limit - 1) : NULL;
	size_t i = 0;

	if (!denied)
		return TAG_NONE;
	while (i < config->n_classes - 1 && denied[i])
		i++;
	return tag_of_class(config->rules, like, &config->classes[i]);
}

uint16_t limits_apply(const struct limits *limits, uint16_t limit, uint16_t tag)
{
	const bool *denied = limit ? row(limits, limit - 1) : NULL;
	const struct config *config = limits->config;
	const struct qos_class *class;

	if (!denied || tag == TAG_NONE || !denied[config->rules->tags[tag].qos_class])
		return tag;
	class = next_lower(config, denied, &config->classes[config->rules->tags[tag].qos_class]);
	return tag_of_class(config->rules, tag, class);
}
