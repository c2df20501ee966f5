/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes that units name in their files, [X-SchedQoS] Class=QOS_UTILITY: see schedqos.json(5). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <systemd/sd-bus.h>

#include "manager.h"

/* ---- unit_file.c ---- */

/* What a file says in that section, which systemd itself ignores. */
struct unit_said {
	unsigned line; /* 0: nothing */
	char qos[64];  /* safe to print, cut; empty: what earlier files say is void; there may be no such class */
};

/* Skips comments and what continues a line, as systemd knows them; the last one counts. Changes the text. */
void unit_file_parse(char *text, struct unit_said *ret);

/* Reads a file. What is no regular one says nothing. 0 or -errno: -EFBIG for more than 1 MiB. */
int unit_file_read(const char *path, struct unit_said *ret);

/* ---- classes.c ---- */

/* Begins with zeros. */
struct classes {
	struct named_class {
		struct unit_said said;
		char *unit, *cgroup; /* where its tasks are */
		char *place;	     /* FILE:LINE, which says it */
		unsigned weight;     /* of that class; 0: there is none, or that is not known yet */
		bool is_wrong;	     /* that there is none has been said */
	} *items;
	size_t count;
};

void classes_clear(struct classes *classes);

/*
 * Reads the files of a unit, if it is loaded. One that cannot be read says nothing, and that is said. 1 if they name a
 * class, or did before; 0; or -errno: the manager cannot be asked any more.
 */
int classes_look(struct classes *classes, sd_bus *manager, const char *unit);

/* Tells the daemon all of them, for a user the bridge, and learns what their classes weigh. 0 or -errno. */
int classes_tell(struct classes *classes, sd_bus *daemon, bool is_user, sd_bus_error *error);

/* NULL: it names none. */
struct named_class *classes_find(const struct classes *classes, const char *unit);
