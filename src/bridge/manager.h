/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The service manager, on the system bus, or a user's own on his. What it has to say comes within 30 s, or is
 * -ETIMEDOUT.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

#define WEIGHT_UNSET	UINT64_MAX
#define WEIGHT_USUAL	100 /* what a unit without any has */
#define CGROUP_PATH_MAX 4096

/* A unit's name with its NUL, as systemd has it. */
#define UNIT_NAME_BYTES 256

/* What the manager says of a unit. */
struct unit {
	char *path;
	char *fragment, **drop_ins; /* in the order in which they count */
	char *id, *load_state;
	int is_transient; /* it goes with all that was set on it */
	/* By unit_read_share. */
	uint64_t weight;   /* CPUWeight: WEIGHT_UNSET; 0: idle */
	const char *other; /* the property by which somebody has chosen its share otherwise, or NULL */
	uint64_t other_value;
	char *slice;  /* what it lies in */
	char *cgroup; /* what it has, or will have when it starts; empty if that is not known */
};

/* Connects, and asks for signals. It stays open when the loop ends: what is put back is put back then. 0 or -errno. */
int manager_open(bool is_user, sd_bus **ret);

/* Calls the handler when a unit is new, or removed. 0 or -errno. */
int manager_follow_units(sd_bus *bus, sd_bus_message_handler_t handler, void *userdata);

/* Calls found for each unit that is loaded; less than 0 from it ends that. 0 or -errno. */
int manager_each_unit(sd_bus *bus, int (*found)(void *context, const char *name), void *context);

/*
 * Asks about a unit. load: has it loaded if it is not. 0; -ENOENT for one that there is not, or goes by another name,
 * or is of a kind without a weight; or another -errno. In any case the caller clears it.
 */
int unit_read(sd_bus *bus, const char *name, bool load, struct unit *ret);
void unit_clear(struct unit *unit);

/* The rest of it. 0; -ENOENT: it is gone; or another -errno. */
int unit_read_share(sd_bus *bus, struct unit *unit);

/* At run time: gone with the boot. 0; -ENOENT or -EACCES if the manager refuses; or another -errno. */
int unit_set_weight(sd_bus *bus, const char *name, uint64_t weight);

/*
 * Whether the cpu controller is on for the unit and its siblings already. A weight would switch it on, and make a
 * border between each two of them.
 */
bool unit_has_border(const struct unit *unit);
