/* SPDX-License-Identifier: GPL-2.0-only */
/* The cpu weights that units were given. Each is on record until it is put back. */
#pragma once

#include <linux/limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <systemd/sd-bus.h>

#include <schedqos/util/log.h>

struct weighted {
	bool is_user;	 /* the manager is a user's */
	sd_bus *manager; /* NULL: nothing has been asked yet */
	char path[PATH_MAX];
	int record, lock;
	size_t count; /* units on record */
	int level;    /* at which is said what is respected */
	bool has_told_border;
	struct problem refused;
};

/* Opens and locks the record. 0, or logs the error and returns -errno. In any case the caller closes it. */
int weighted_open(struct weighted *weighted, bool is_user);
void weighted_close(struct weighted *weighted);

/* Whether the unit's is on record. */
bool weighted_has(const struct weighted *weighted, const char *name);

/* What a unit is to have; 0: what it had before. */
typedef unsigned weight_of_unit(const void *context, const char *name);

/*
 * Sees to it that the unit has that weight, if it is loaded and nobody has chosen another. 0 or -errno: the manager
 * cannot be asked any more.
 */
int weighted_give(struct weighted *weighted, const char *name, unsigned weight);

/* The same for all that are on record: what was set on one that is not loaded would come back with it. */
int weighted_again(struct weighted *weighted, weight_of_unit *weight_of, const void *context);

/* Puts all back. Returns an exit status, and logs what is wrong. */
int weighted_put_back(struct weighted *weighted);
