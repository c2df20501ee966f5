/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of units: what a unit of the service manager gives its tasks that no rule names. */
#include "plan_private.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>

static void clear(struct plan_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		free((char *)units->all[i].cgroup);
		free((char *)units->all[i].qos);
		free((char *)units->all[i].place);
	}
	free(units->all);
	free(units->tags);
	*units = (struct plan_units){ 0 };
}

void plan_units_clear(struct plan *plan)
{
	clear(&plan->units);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct unit_class *)a)->cgroup, ((const struct unit_class *)b)->cgroup);
}

static int copy(const struct unit_class *from, size_t n, struct plan_units *ret)
{
	*ret = (struct plan_units){ calloc(n + 1, sizeof(*ret->all)), calloc(n + 1, sizeof(*ret->tags)), 0 };
	if (!ret->all || !ret->tags)
		return -ENOMEM;
	for (; ret->count < n; ret->count++, from++) {
		struct unit_class *unit = &ret->all[ret->count];

		*unit = (struct unit_class){ strdup(from->cgroup), strdup(from->qos), strdup(from->place) };
		if (!unit->cgroup || !unit->qos || !unit->place) {
			ret->count++;
			return -ENOMEM;
		}
	}
	qsort(ret->all, n, sizeof(*ret->all), compare);
	return 0;
}

/* The class's tag without a period, which there is for each class (see rules_finish); of one that there is not, QOS_DEFAULT's. */
static uint16_t tag_of(const struct config *config, const char *qos)
{
	const struct qos_class *class = qos_class_find(config->classes, config->n_classes, qos);
	size_t n_tags;
	const struct tag *tags = rules_tags(config->rules, &n_tags);

	for (size_t i = 0; class && i < n_tags; i++) {
		if (tags[i].period_ns == 0 && &config->classes[tags[i].qos_class] == class)
			return (uint16_t)i;
	}
	return TAG_DEFAULT;
}

void plan_units_follow(struct plan *plan)
{
	for (size_t i = 0; i < plan->units.count; i++)
		plan->units.tags[i] = tag_of(plan->config, plan->units.all[i].qos);
}

int plan_units_put(struct plan *plan, const struct unit_class *units, size_t n)
{
	struct plan_units now;
	int r = copy(units, n, &now);

	if (r < 0) {
		clear(&now);
		return r;
	}
	plan_units_clear(plan);
	plan->units = now;
	plan_units_follow(plan);
	return 0;
}

/* Its number, or that of the nearest one around it; less than 0: none. */
static ssize_t find(const struct plan *plan, const char *cgroup)
{
	char path[PATH_MAX];
	const struct unit_class key = { .cgroup = path }, *found;
	char *last;

	if (!plan->units.count || *cgroup != '/' || strlen(cgroup) >= sizeof(path))
		return -1;
	strcpy(path, cgroup);
	for (;;) {
		found = bsearch(&key, plan->units.all, plan->units.count, sizeof(key), compare);
		if (found || !path[1])
			return found ? found - plan->units.all : -1;
		last = strrchr(path, '/');
		/* The last one to ask for is the root. */
		last[last == path] = '\0';
	}
}

const struct unit_class *plan_unit_of(const struct plan *plan, const char *cgroup)
{
	const ssize_t number = find(plan, cgroup);

	return number < 0 ? NULL : &plan->units.all[number];
}

uint16_t plan_unit_tag(const struct plan *plan, const char *cgroup)
{
	const ssize_t number = find(plan, cgroup);

	return number < 0 ? TAG_DEFAULT : plan->units.tags[number];
}
