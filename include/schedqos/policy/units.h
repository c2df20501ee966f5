/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of units: what a unit of the service manager gives those of its tasks that no rule names. */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/overrides.h>

struct unit_class {
	const char *cgroup; /* the unit's; what is below is the unit's, too, unless that has a unit nearer by */
	const char *qos;    /* one that there is not means nothing */
	const char *place;  /* where it says so: for people */
	uid_t uid;	    /* whose service manager has it; 0: the system's */
	struct holder holder;
};

/* What it is in the configuration in force. */
struct unit {
	struct unit_class is;
	const struct qos_class *class; /* NULL: a user's that means nothing */
	uint16_t tag;
};

struct units {
	struct unit *all; /* sorted by cgroup and uid */
	size_t count, n_users;
	const struct qos_class *default_class;
};

/* Takes the place of those before of the same uid, which is that of all of these. Copies them. 0 or -ENOMEM. */
int units_put(struct units *units, const struct config *config, uid_t uid, const struct unit_class *from, size_t n);

/* Another configuration is in force; it must live until the next one is. */
void units_follow(struct units *units, const struct config *config);

void units_clear(struct units *units);

/*
 * The nearest unit with a class for the tasks of this cgroup, or NULL. One of a user's counts for processes that run as
 * nobody but him, which owner says (see struct facts), if it lies in the system's, or is the same, and only if its
 * class is no higher than they would have without.
 */
const struct unit *units_find(const struct units *units, const char *cgroup, uid_t owner);
