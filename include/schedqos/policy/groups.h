/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups limit the classes that the tasks of a cgroup may have, and the plan applies their limits. A denied class is
 * replaced by the next lower class that is allowed, or by the lowest class of all if there is none. If several groups
 * apply to a cgroup, a class is allowed only if each of them allows it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/policy/qos_class.h>

/* The entry "QOS_NAME": true or false of a group. */
struct group_class {
	const char *name;
	bool is_allowed;
};

struct group {
	/*
	 * A name or glob. With a slash, it is compared with the path of the task's cgroup and of each cgroup above it.
	 * Without a slash, it is compared with each component of the path.
	 */
	const char *pattern;
	struct source source;
	const char *max; /* name of the highest class that is allowed, or NULL */
	const struct group_class *classes;
	size_t n_classes;
};

/* Returns whether the group applies to the tasks of a cgroup. cgroup: path that begins with a slash. */
bool group_holds(const struct group *group, const char *cgroup);

/*
 * Compares two classes: returns less than 0 if `a` is higher, more than 0 if `b` is higher, 0 if neither is. The order
 * from the highest is SCHED_DEADLINE, real-time classes by priority, fair classes, SCHED_IDLE. A lower nice value comes
 * first, then a shorter slice, with no slice last. If all of that is equal, the I/O class decides: realtime, then
 * best-effort or none, then idle.
 */
int class_compare(const struct qos_class *a, const struct qos_class *b);

/*
 * The limits in use: each is a set of denied classes with a number from 1. Number 0 denies nothing. A number stays
 * valid as long as the struct.
 */
struct config;
struct limits;

/* Makes an empty set of limits. The configuration must outlive the set. Returns NULL if out of memory. */
struct limits *limits_new(const struct config *config);
void limits_free(struct limits *limits);

/*
 * Finds the limit for tasks of this cgroup, makes it if it is new, and stores its number in *ret. max: deny all classes
 * above this one as well; may be NULL. Returns 0, or -ENOMEM with *ret unchanged.
 */
int limits_find(struct limits *limits, const char *cgroup, const struct qos_class *max, uint16_t *ret);

/*
 * Finds the limit for tasks whose cgroup is unknown: it denies all that the limits `a` and `b` deny, and all classes
 * above max. Returns like limits_find.
 */
int limits_join(struct limits *limits, uint16_t a, uint16_t b, const struct qos_class *max, uint16_t *ret);

/*
 * Finds the limit of another configuration that denies the same classes, by name, as a limit of `from`, and all classes
 * above the highest that this one allows. Returns like limits_find.
 */
int limits_carry(struct limits *limits, const struct limits *from, uint16_t number, uint16_t *ret);

/*
 * Returns the tag of the highest class that a limit allows, or of the lowest class if the limit allows none. The tag
 * has the period of `like` if there is such a tag, else none. like: may be TAG_NONE. Returns TAG_NONE for limit 0.
 */
uint16_t limits_max(const struct limits *limits, uint16_t limit, uint16_t like);

/* Returns the tag that replaces `tag` under a limit: `tag` itself if its class is allowed, or if it is TAG_NONE. */
uint16_t limits_apply(const struct limits *limits, uint16_t limit, uint16_t tag);
