/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets cpu weights of units and puts them back. Each is on record until it is put back. */
#pragma once

#include <linux/limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <systemd/sd-bus.h>

#include <schedqos/util/log.h>

struct weighted {
	bool is_user;	 /* the manager is a user's */
	sd_bus *manager; /* NULL before the first question */
	char path[PATH_MAX];
	int record, lock;
	size_t count; /* units on record */
	/* the log level for units that keep a weight of their own */
	int level;
	bool has_told_border;
	struct problem refused;
};

/* Opens and locks the record. Returns 0; or -errno after logging the reason. The caller closes it in any case. */
int weighted_open(struct weighted *weighted, bool is_user);
void weighted_close(struct weighted *weighted);

/* Returns whether the unit's weight is on record. */
bool weighted_has(const struct weighted *weighted, const char *name);

/* Returns the weight that a unit should have; 0 for the one it had before. */
typedef unsigned weight_of_unit(const void *context, const char *name);

/*
 * Gives a unit that weight, if it is loaded and nobody has chosen another. Returns 0, or -errno if the manager no
 * longer answers.
 */
int weighted_give(struct weighted *weighted, const char *name, unsigned weight);

/*
 * The same for all units on record, also if they are not loaded: a weight that was set on them would come back with
 * them.
 */
int weighted_again(struct weighted *weighted, weight_of_unit *weight_of, const void *context);

/* Puts all weights back. Logs errors. Returns an exit status. */
int weighted_put_back(struct weighted *weighted);
