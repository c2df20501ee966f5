/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overrides: what is asked for at run time. One gives a process a class, over its rule, or limits the class that it has;
 * or limits what is in a cgroup, as an entry of "groups" does. A process's record has the number of the one that gives
 * it its class, and of the lowest that limits it; 0: none.
 *
 * Root may ask for anything. What a user asks for counts for a process as long as that runs as nobody but him: not for
 * what runs set-user-ID or with capabilities, though it be a child of his. So both have numbers of their own in a record:
 * root's class goes before a user's, and of limits the lowest that counts holds.
 */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/tasks.h>

enum override_kind {
	OVERRIDE_LIMIT, /* qos is the highest class that is allowed; handed on to children */
	OVERRIDE_CLASS, /* qos is the class */
};

struct override {
	enum override_kind kind;
	bool is_tree;	    /* a class: it is handed on to children as well */
	const char *cgroup; /* path, for a limit of every process in it or below it; NULL: for a process */
	pid_t pid;
	uint64_t start; /* of the process, in ticks since boot */
	const char *qos; /* name of the class */
	uid_t uid;	 /* whose it is; 0: root's */
	bool raises;	 /* a user's class: it may be higher than what rules give */
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

/* Takes its effect away; it stays. */
void overrides_disable(struct overrides *overrides, uint16_t number);

/* No record may have its number any more. */
void overrides_remove(struct overrides *overrides, uint16_t number);

const struct override *overrides_get(const struct overrides *overrides, uint16_t number);

/* Whether any of them is for a cgroup. */
bool overrides_need_cgroup(const struct overrides *overrides);

/* What its number is kept as in the record of a process. */
enum override_slot overrides_slot(const struct overrides *overrides, uint16_t number);

/* Whether it counts for a process; owner: see struct facts. */
bool overrides_count(const struct overrides *overrides, uint16_t number, uid_t owner);

/* Whether that has to be known for a process with these numbers, in any cgroup. */
bool overrides_need_owner(const struct overrides *overrides, const uint16_t joined[OVERRIDE_SLOTS]);

/* Whether its class may be higher than what rules give; number 0: no. */
bool overrides_raises(const struct overrides *overrides, uint16_t number);

/* Whether a process with this number hands it on to its children. */
bool overrides_is_handed_on(const struct overrides *overrides, uint16_t number);

/* The tag of its class, without a period. TAG_NONE if the number is 0, or its class is unknown. */
uint16_t overrides_tag(const struct overrides *overrides, uint16_t number);

/*
 * The lower of two limits in one slot of a process, of different users' the second; 0 for none. It is remembered that the
 * other one holds as well.
 */
uint16_t overrides_lower(struct overrides *overrides, uint16_t a, uint16_t b);

/* Whether the limit a leaves b, in the same slot, nothing to do. */
bool overrides_covers(const struct overrides *overrides, uint16_t a, uint16_t b);

/* The next limit after this one (0: the first) that a lower one has covered for some process. 0: there is none. */
uint16_t overrides_next_covered(const struct overrides *overrides, uint16_t number);

/* The highest class that is allowed to a process with these numbers in this cgroup. NULL: there is no limit. */
const struct qos_class *overrides_max(const struct overrides *overrides, const uint16_t joined[OVERRIDE_SLOTS],
				      const char *cgroup, uid_t owner);
