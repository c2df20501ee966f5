/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups: which classes the tasks of a cgroup may have. A class that is not allowed gives way to the next lower one that
 * is; below all that are allowed, to the lowest there is. Where several groups hold, only what all of them allow is.
 */
#pragma once

#include <schedqos/policy/rules.h>

struct group {
	/*
	 * With a slash, a glob on the cgroup's path: of it or of any that it lies in. Without one, on any component of the
	 * path.
	 */
	const char *pattern;
	struct source source;
	const bool *denies; /* by class of the configuration */
};

/* Whether the group holds for tasks of the cgroup with this path, which begins with a slash. */
bool group_holds(const struct group *group, const char *cgroup);

/*
 * Whether a class is higher than another: SCHED_DEADLINE, then real time by its priority, then fair ones by nice, then by
 * slice, the shortest first (none last), then SCHED_IDLE. Of two that are equal, neither is.
 */
bool class_is_higher(const struct qos_class *class, const struct qos_class *other);

/*
 * Limits: what groups make of tags, for each set of groups that was ever found to hold together. Number 0 is no group at
 * all. Valid as long as the configuration.
 */
struct limits;

/* What the groups of a configuration, which must outlive it, limit. NULL without memory. */
struct limits *limits_new(const struct group *groups, size_t n_groups, const struct rules *rules,
			  const struct qos_class *classes, size_t n_classes);
void limits_free(struct limits *limits);

/* The limit for tasks of this cgroup. 0, or -ENOMEM. */
int limits_find(struct limits *limits, const char *cgroup, uint16_t *ret);

/* What becomes of a tag under a limit. */
uint16_t limits_tag(const struct limits *limits, uint16_t limit, uint16_t tag);
