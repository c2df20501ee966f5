/* SPDX-License-Identifier: GPL-2.0-only */
/* Talks to the service manager, on the system bus or a user's. Calls fail with -ETIMEDOUT after 30 s. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

#define WEIGHT_UNSET	UINT64_MAX
#define WEIGHT_USUAL	100 /* effective weight of a unit without one */
#define CGROUP_PATH_MAX 4096

/* Longest name of a unit in systemd, with its NUL. */
#define UNIT_NAME_BYTES 256

/* A unit's properties. */
struct manager_unit {
	char *path;
	char *fragment, **drop_ins; /* in the order in which systemd reads them */
	char *id, *load_state;
	/* systemd forgets it, with all that was set on it, when it ends */
	int is_transient;
	/* Filled in by unit_read_share. */
	uint64_t weight; /* CPUWeight; 0: idle */
	/* a property by which somebody has set its share in another way, or NULL */
	const char *other;
	uint64_t other_value;
	char *slice;
	/* its cgroup, or the one that it will have when it starts; empty if unknown */
	char *cgroup;
};

/*
 * Connects and asks for signals. The connection stays open when the loop ends, because weights are put back after that.
 * Returns 0 or -errno.
 */
int manager_open(bool is_user, sd_bus **ret);

/* Calls the handler when a unit is new or removed. Returns 0 or -errno. */
int manager_follow_units(sd_bus *bus, sd_bus_message_handler_t handler, void *userdata);

/* Calls found for each loaded unit, until it returns less than 0. Returns 0 or -errno. */
int manager_each_unit(sd_bus *bus, int (*found)(void *context, const char *name), void *context);

/*
 * Reads a unit's properties; with load, has the manager load it if needed. Returns 0; -ENOENT if there is no such unit,
 * if the name is an alias, or if its kind has no weight; or another -errno. The caller clears the unit in any case.
 */
int unit_read(sd_bus *bus, const char *name, bool load, struct manager_unit *ret);
void unit_clear(struct manager_unit *unit);

/* Reads the properties that concern its share. Returns 0; -ENOENT if the unit is gone; or another -errno. */
int unit_read_share(sd_bus *bus, struct manager_unit *unit);

/* Sets the weight until the next boot. Returns 0; -ENOENT or -EACCES if the manager refuses; or another -errno. */
int unit_set_weight(sd_bus *bus, const char *name, uint64_t weight);

/*
 * Returns whether the cpu controller is already enabled for the unit and its siblings. If not, a weight would enable
 * it, and make a border between each two of them.
 */
bool unit_has_border(const struct manager_unit *unit);
