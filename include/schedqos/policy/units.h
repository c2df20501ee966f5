/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes that units of the service manager give their tasks. The plan uses them for tasks without a rule. */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/overrides.h>

struct unit_class {
	const char *cgroup; /* path; covers the cgroups below it, too, except those of a nearer unit */
	const char *qos;    /* name of the class; an unknown name gives no class */
	const char *place;  /* where the unit names its class, for output */
	uid_t uid;	    /* user whose service manager runs the unit; 0: the system's */
	struct holder holder;
};

/* A unit, with its class in the configuration in force. */
struct unit {
	struct unit_class is;
	const struct qos_class *class; /* NULL: ignore the unit, which is a user's */
	uint16_t tag;
};

struct units {
	struct unit *all; /* sorted by cgroup and uid */
	size_t count, n_users; /* n_users: units of users' service managers */
	const struct qos_class *default_class;
};

/* Replaces all units of this uid by copies of `from`, which all have this uid. Returns 0, or -ENOMEM with no change. */
int units_put(struct units *units, const struct config *config, uid_t uid, const struct unit_class *from, size_t n);

/* Resolves the classes in another configuration, which must live until the next call. */
void units_follow(struct units *units, const struct config *config);

/* Frees the units, but not the struct, which is not usable then. */
void units_clear(struct units *units);

/*
 * Returns the nearest unit with a class for a process in this cgroup, or NULL. owner: see struct facts. A unit of the
 * owner's service manager counts only if its cgroup is that of the system's unit or lies below it, and if its class is
 * not higher than that of the system's unit, or than QOS_DEFAULT if there is none.
 */
const struct unit *units_find(const struct units *units, const char *cgroup, uid_t owner);
