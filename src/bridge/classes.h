/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes that units name in their files: see schedqos.json(5). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <systemd/sd-bus.h>

#include <schedqos/kernel/helper.h>

#include "manager.h"
#include "unit_file.h"

/* Begins with zeros. */
struct classes {
	struct named_class {
		char unit[UNIT_NAME_BYTES], qos[UNIT_QOS_BYTES];
		char *place, *cgroup; /* FILE:LINE, which says it; and where the unit's tasks are */
		unsigned weight; /* of that class; 0: there is none, or that is not known yet */
		bool is_wrong;	 /* that there is none has been said */
	} *items;
	size_t count;
	struct helper helper;
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
