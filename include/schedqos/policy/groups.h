/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups limit the classes that the tasks of a cgroup may have. A class that is not allowed is replaced by the next
 * lower class that is; if there is none, by the lowest of all. If several groups hold for a cgroup, a class has to be
 * allowed by each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/policy/qos_class.h>

/* "QOS_NAME": false, or true */
struct group_class {
	const char *name;
	bool is_allowed;
};

struct group {
	/*
	 * With a slash: a glob on the path of the task's cgroup, or of any that this one lies in. Without: on any
	 * component of the path.
	 */
	const char *pattern;
	struct source source;
	const char *max; /* name of the highest class that is allowed, or NULL */
	const struct group_class *classes;
	size_t n_classes;
};

/* Whether the group holds for the tasks of a cgroup. cgroup: its path, which begins with a slash. */
bool group_holds(const struct group *group, const char *cgroup);

/*
 * Which of two classes is higher: SCHED_DEADLINE, then real-time ones by priority, then fair ones by nice, then by
 * slice, the shortest first and none last, then SCHED_IDLE. Where all that is equal their I/O classes decide: realtime,
 * then best-effort or none, then idle. Returns less than 0 if a is higher, 0 if neither is.
 */
int class_compare(const struct qos_class *a, const struct qos_class *b);

/* What the groups of a configuration do to tags. */
struct config;
struct limits;

/* The configuration must outlive it. NULL without memory. */
struct limits *limits_new(const struct config *config);
void limits_free(struct limits *limits);

/*
 * The number of the limit for tasks of this cgroup, 0 for none. max: the highest class that they may have in any case,
 * NULL for no such limit. Numbers stay valid. Limits are made as they are first needed: 0, or -ENOMEM with *ret as it
 * was.
 */
int limits_find(struct limits *limits, const char *cgroup, const struct qos_class *max, uint16_t *ret);

/*
 * The same for tasks whose cgroup is unknown: all that the limits of these two numbers deny, and what max does.
 */
int limits_join(struct limits *limits, uint16_t a, uint16_t b, const struct qos_class *max, uint16_t *ret);

/* Takes over a limit of another configuration: denies the classes of the same names. Returns as limits_find does. */
int limits_carry(struct limits *limits, const struct limits *from, uint16_t number, uint16_t *ret);

/*
 * The tag of the highest class that a limit allows; if none is, of the lowest. Its period is that of `like`, which may
 * be TAG_NONE. Number 0: TAG_NONE.
 */
uint16_t limits_max(const struct limits *limits, uint16_t limit, uint16_t like);

/* What becomes of a tag under a limit. TAG_NONE stays. */
uint16_t limits_apply(const struct limits *limits, uint16_t limit, uint16_t tag);
