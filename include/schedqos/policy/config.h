/* SPDX-License-Identifier: GPL-2.0-only */
/* A configuration that can be put in force: rules, classes, profiles and settings, wherever they come from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/rules.h>
#include <schedqos/util/terms.h>

/* ---- groups ---- */

/*
 * Groups: which classes the tasks of a cgroup may have. A class that is not allowed gives way to the next lower one
 * that is; if there is none, to the lowest of all. If several groups hold, a class has to be allowed by each.
 */

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

/* ---- cpu weights: how the kernel divides a CPU between two that want all of it ---- */

/* What competes where the ways of two tasks part: the cpu cgroup that the task is in there, or the task itself. */
struct cpu_rival {
	unsigned group_weight; /* 1024: as a task of nice 0; 0: the task itself */
	struct task_attr task;
};

/*
 * The part of one CPU that the first gets if both want all of it and nobody else does, 0 to 1. Negative: no weight
 * tells, as with deadlines, or for two of one real-time priority unless both are SCHED_RR.
 */
double cpu_share(const struct cpu_rival *a, const struct cpu_rival *b);

/* ---- cpu weights of units ---- */

/* What the kernel takes for a cgroup of version 2; 100 unless somebody says else. */
#define CPU_WEIGHT_MIN 1
#define CPU_WEIGHT_MAX 10000

/* Whom the service manager is to give which weight. */
struct weight {
	const char *pattern; /* a unit's name, or a glob of such */
	struct source source;
	bool at_seat;	   /* only while somebody is logged in at a seat */
	const char *qos;   /* name of the class whose weight it is, or NULL */
	uint16_t number;
};

/* The first that holds for a unit counts: see pattern_compare. */

struct weight_list {
	struct weight *items;
	size_t count;
};

/*
 * What a group of tasks of nice 0 has as 100, one of tasks with the class's nice value is to have, by the kernel's
 * table.
 */
unsigned weight_of_class(const struct qos_class *class);

/* Puts a list as it was read in order, with the numbers of the configuration's classes. */
void weights_finish(const struct config *config, const struct weight_list *list);

/* The weight of the first that holds for a unit; 0 if none does. */
unsigned weights_find(const struct weight_list *list, const char *unit, bool seat_is_used);

/* ---- a sched profile: a named set of values for the kernel's own scheduling knobs ---- */

struct knob {
	enum knob_tree tree;
	const char *devices; /* KNOB_BLOCK: a glob of their names; else NULL */
	const char
		*file; /* one path component; a path where KNOB_DEBUGFS (llc_balancing/enabled) or
			  KNOB_SYSCTL (kernel/sched_rt_period_us); never a way up or out */
	const char *const *values; /* written one after another */
	size_t n_values;
	struct source source;
};

struct sched_profile {
	const char *name;
	struct knob *knobs;
	size_t n_knobs;
	struct source source;
};

/* Upstream's three, throughput, interactive and qos; and qos-preempt, of the announcement's last measurement. */
#define PROFILE_BUILTIN_COUNT 4
extern const struct sched_profile profile_builtin[PROFILE_BUILTIN_COUNT];

/* The profile of that name, or NULL. */
const struct sched_profile *sched_profile_find(const struct sched_profile *profiles, size_t count,
					       const char *name);

/* Whether the two have the same name and knobs, wherever they were written. Either may be NULL, for no profile. */
bool sched_profile_equal(const struct sched_profile *a, const struct sched_profile *b);

/* The tree's key in a profile: "debugfs". Static storage. */
const char *knob_tree_name(enum knob_tree tree);

enum default_mode {
	DEFAULT_PRISTINE, /* a task without a rule gets QOS_DEFAULT if nobody chose anything for it */
	DEFAULT_ALL,	  /* ... in any case */
	DEFAULT_NONE,	  /* ... never */
};

struct settings {
	const char *sched_profile; /* name of one of the profiles, or NULL for none */
	enum default_mode default_mode;
	bool autogroup_off;
	const char *focus; /* name of the class of an app that has the focus; NULL: what is seen does not matter */
	const char *mapping; /* "announcement" or the preset asked for */
	bool mapping_is_named; /* rather than built in */
	struct source mapping_source;
	int log_level;	     /* syslog's LOG_ERR .. LOG_DEBUG; 0: not given */
};

struct config {
	struct qos_class *classes; /* the highest first */
	size_t n_classes;
	struct rules *rules;
	struct group *groups; /* one for each pattern */
	size_t n_groups;
	struct weight_list weights; /* one for each pattern */
	struct weight_list user_weights; /* the same, of users' own managers */
	struct settings settings;
	struct sched_profile *profiles;
	size_t n_profiles;
	struct rule_user *users; /* users that rules name; may become known later */
	const char **files; /* paths, indexed by struct source.file */
	size_t n_files;
	struct arena *memory; /* private: holds all of the above */
};

/* The class of a tag; NULL for TAG_NONE. */
static inline const struct qos_class *class_of_tag(const struct config *config, uint16_t tag)
{
	return tag < config->rules->n_tags ? &config->classes[config->rules->tags[tag].qos_class] : NULL;
}
