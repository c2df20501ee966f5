/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups: which classes the tasks of a cgroup may have. A class that is not allowed gives way to the next lower one
 * that is; if there is none, to the lowest of all. If several groups hold, a class has to be allowed by each.
 */
#pragma once

#include <schedqos/policy/rules.h>

/* "QOS_NAME": false, or true */
struct group_class {
	const char *name;
	bool is_allowed;
};

struct group {
	/*
	 * With a slash: a glob on the path of the task's cgroup, or of any that this one lies in. Without: on any component
	 * of the path.
	 */
	const char *pattern;
	struct source source;
	bool is_masked;	 /* null: holds for nothing */
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
struct limits;

/* groups, rules and classes must outlive it. NULL without memory. */
struct limits *limits_new(const struct group *groups, size_t n_groups, const struct rules *rules,
			  const struct qos_class *classes, size_t n_classes);
void limits_free(struct limits *limits);

/*
 * The number of the limit for tasks of this cgroup, 0 for none. max: the highest class that they may have in any case,
 * NULL for no such limit. Numbers stay valid. Limits are made as they are first needed: 0, or -ENOMEM.
 */
int limits_find(struct limits *limits, const char *cgroup, const struct qos_class *max, uint16_t *ret);

/* What becomes of a tag under a limit. TAG_NONE stays. */
uint16_t limits_apply(const struct limits *limits, uint16_t limit, uint16_t tag);
