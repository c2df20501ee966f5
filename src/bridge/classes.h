/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the classes that units name in their files, as [X-SchedQoS] Class=QOS_UTILITY: see schedqos.json(5). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <systemd/sd-bus.h>

#include "manager.h"

/* ---- unit_file.c ---- */

/* The content of that section in a file. systemd ignores the section. */
struct unit_said {
	unsigned line; /* 0 if the file names no class */
	/* escaped and cut; may be unknown; empty if the file cancels what earlier files say */
	char qos[64];
};

/* Finds the last Class= in the section. Skips comments and continuation lines as systemd does. Modifies the text. */
void unit_file_parse(char *text, struct unit_said *ret);

/* Reads a file. Files that are not regular name no class. Returns 0 or -errno: -EFBIG for more than 1 MiB. */
int unit_file_read(const char *path, struct unit_said *ret);

/* ---- classes.c ---- */

/* The units that name a class. Starts as all zeroes. */
struct classes {
	struct named_class {
		struct unit_said said;
		char *unit, *cgroup; /* its cgroup */
		char *place;	     /* FILE:LINE of the Class= */
		unsigned weight;     /* weight of that class; 0 if there is none, or it is not known yet */
		bool is_wrong;	     /* we have warned that there is no such class */
	} *items;
	size_t count;
};

void classes_clear(struct classes *classes);

/*
 * Reads the files of a unit, if it is loaded. Warns of files that cannot be read. Returns 1 if they name a class, or
 * did so before; 0 if not; or -errno if the manager no longer answers.
 */
int classes_look(struct classes *classes, sd_bus *manager, const char *unit);

/*
 * Sends all of them to the daemon, or for a user to the bridge, and stores the weights of their classes. Returns 0 or
 * -errno.
 */
int classes_tell(struct classes *classes, sd_bus *daemon, bool is_user, sd_bus_error *error);

/* Returns the entry of that unit; NULL if it names no class. */
struct named_class *classes_find(const struct classes *classes, const char *unit);
