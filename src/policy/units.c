/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the classes of units for the plan and finds the unit of a cgroup. */
#include <schedqos/policy/units.h>

#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>

static void clear_unit(struct unit *unit)
{
	free((char *)unit->is.cgroup);
	free((char *)unit->is.qos);
	free((char *)unit->is.place);
	free((char *)unit->is.holder.name);
}

void units_clear(struct units *units)
{
	for (size_t i = 0; i < units->count; i++)
		clear_unit(&units->all[i]);
	free(units->all);
}

static int compare(const void *a, const void *b)
{
	const struct unit *ua = a, *ub = b;
	const int paths = strcmp(ua->is.cgroup, ub->is.cgroup);

	return paths ? paths : ua->is.uid < ub->is.uid ? -1 : ua->is.uid > ub->is.uid;
}

/*
 * Finds the unit's class. A user's unit is ignored if there is no such class, or if the class has real-time I/O, which
 * class_compare ranks last.
 */
static void resolve(const struct units *units, const struct config *config, struct unit *unit)
{
	const struct qos_class *class = qos_class_find(config->classes, config->n_classes, unit->is.qos);

	unit->class = class ? class : units->default_class;
	if (unit->is.uid && (!class || (qos_attr_privileged(&class->attr) & TASK_ATTR_IO_PRIORITY)))
		unit->class = NULL;
	unit->tag = class ? rules_tag_of(config->rules, class, 0) : TAG_DEFAULT;
}

void units_follow(struct units *units, const struct config *config)
{
	units->default_class = qos_class_find(config->classes, config->n_classes, QOS_DEFAULT_NAME);
	units->n_users = 0;
	for (size_t i = 0; i < units->count; i++) {
		resolve(units, config, &units->all[i]);
		units->n_users += units->all[i].is.uid != 0;
	}
}

/* Copies a unit. Returns false if out of memory. */
static bool copy(struct unit *to, const struct unit_class *from, uid_t uid)
{
	const char *name = from->holder.name;

	to->is = (struct unit_class){ strdup(from->cgroup), strdup(from->qos), strdup(from->place), uid,
				      { from->holder.bus, name ? strdup(name) : NULL } };
	return to->is.cgroup && to->is.qos && to->is.place && !name == !to->is.holder.name;
}

int units_put(struct units *units, const struct config *config, uid_t uid, const struct unit_class *from, size_t n)
{
	struct units now = { .all = calloc(units->count + n + 1, sizeof(*now.all)) };

	while (now.all && now.count < n && copy(&now.all[now.count], &from[now.count], uid))
		now.count++;
	if (!now.all || now.count < n) {
		now.count += now.all != NULL;
		units_clear(&now);
		return -ENOMEM;
	}
	for (size_t i = 0; i < units->count; i++) {
		if (units->all[i].is.uid == uid)
			clear_unit(&units->all[i]);
		else
			now.all[now.count++] = units->all[i];
	}
	free(units->all);
	*units = now;
	qsort(now.all, now.count, sizeof(*now.all), compare);
	units_follow(units, config);
	return 0;
}

/* Returns the unit of this uid for the cgroup, or for the nearest cgroup above it; or NULL. */
static const struct unit *find(const struct units *units, const char *cgroup, uid_t uid)
{
	char path[PATH_MAX];
	const struct unit key = { .is = { .cgroup = path, .uid = uid } }, *found;
	char *last;

	if (!units->count || *cgroup != '/' || strlen(cgroup) >= sizeof(path))
		return NULL;
	strcpy(path, cgroup);
	for (;;) {
		found = bsearch(&key, units->all, units->count, sizeof(key), compare);
		if (found || !path[1])
			return found;
		last = strrchr(path, '/');
		/* The last cgroup to look up is the root. */
		last[last == path] = '\0';
	}
}

const struct unit *units_find(const struct units *units, const char *cgroup, uid_t owner)
{
	const struct unit *systems = find(units, cgroup, 0);
	const struct unit *users = find(units, cgroup, owner);

	if (!users || !users->class)
		return systems;
	if (class_compare(users->class, systems ? systems->class : units->default_class) < 0)
		return systems;
	return systems && strlen(users->is.cgroup) < strlen(systems->is.cgroup) ? systems : users;
}
