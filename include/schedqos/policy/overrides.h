/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overrides: what somebody asks for at run time. One gives processes a class, over their rules, or limits the class
 * that they have. Several can hold for one process: its class is the one that root asked for last, else the one that
 * anybody else asked for last, and the strictest of the limits holds.
 *
 * A process's overrides are a set, whose number is in the process's record. 0 is the empty set.
 */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/groups.h>

enum override_kind {
	OVERRIDE_LIMIT, /* qos is the highest class that is allowed */
	OVERRIDE_CLASS, /* qos is the class */
};

struct override {
	enum override_kind kind;
	bool is_tree;	    /* it is handed on to children */
	const char *cgroup; /* path: for every process in it or below it; NULL: for those that join */
	const char *qos;    /* name of the class */
	uid_t uid;	    /* who asked; if not root: it can only lower, see plan_class_over */
};

struct overrides;

/* NULL without memory. */
struct overrides *overrides_new(void);
void overrides_free(struct overrides *overrides);

/*
 * Follows another configuration, which must live until the next call. An override whose class it lacks has no effect
 * from then on.
 */
void overrides_follow(struct overrides *overrides, const struct qos_class *classes, size_t n_classes,
		      const struct rules *rules);

/* Adds a copy, with a number of its own. 0, -ENOENT if there is no such class, -ENOMEM, -ENOSPC if there are too many. */
int overrides_add(struct overrides *overrides, const struct override *override, uint16_t *ret_number);

/* Gives it another class, or asks for the same one again. Returns as overrides_add does. */
int overrides_change(struct overrides *overrides, uint16_t number, const char *qos);

/* Removes it from all sets. A set that is empty then, or the same as another, is gone: see overrides_without. */
void overrides_remove(struct overrides *overrides, uint16_t number);

const struct override *overrides_get(const struct overrides *overrides, uint16_t number);

/* Whether any of them is for a cgroup. */
bool overrides_need_cgroup(const struct overrides *overrides);

/* ---- sets ---- */

bool overrides_has(const struct overrides *overrides, uint16_t set, uint16_t number);

/* The number that a set has once this override, which is in it, has been removed. */
uint16_t overrides_without(const struct overrides *overrides, uint16_t set, uint16_t number);

/* The set and one more. These return 0, or -ENOMEM or -ENOSPC, and then *ret is left. */
int overrides_join(struct overrides *overrides, uint16_t set, uint16_t number, uint16_t *ret);

/* The same for a process that is in this cgroup now. */
int overrides_in_cgroup(struct overrides *overrides, uint16_t set, const char *cgroup, uint16_t *ret);

/* What is handed on to a child. */
int overrides_handed_on(struct overrides *overrides, uint16_t set, uint16_t *ret);

/* The tag of the class that holds, without a period, and who asked for it. TAG_NONE: nobody did. */
uint16_t overrides_tag(const struct overrides *overrides, uint16_t set, uid_t *ret_uid);

/* The highest class that is allowed. NULL: there is no limit. */
const struct qos_class *overrides_max(const struct overrides *overrides, uint16_t set);
