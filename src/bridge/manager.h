/* SPDX-License-Identifier: GPL-2.0-only */
/* The service manager, on the system bus, or a user's own on his. What it has to say comes within 30 s, or is -ETIMEDOUT. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

#define WEIGHT_UNSET	UINT64_MAX
#define WEIGHT_USUAL	100 /* what a unit without any has */
#define CGROUP_PATH_MAX 4096

/* A unit's name with its NUL, as systemd has it. */
#define UNIT_NAME_BYTES 256

/* What the manager says of a unit. Texts are never NULL. */
struct unit {
	const char *id, *load_state, *active_state, *fragment;
	char **drop_ins;   /* after the fragment, in the order in which they count */
	int is_transient;  /* it goes with all that was set on it */
	uint64_t weight;   /* CPUWeight: WEIGHT_UNSET; 0: idle */
	const char *other; /* the property by which somebody has chosen its share otherwise, or NULL */
	uint64_t other_value;
	const char *cgroup; /* empty unless it runs */
	const char *slice;  /* what it lies in */
	sd_bus_message *found, *of_all, *of_kind; /* they hold the texts */
};

/* Connects, and asks for signals. It stays open when the loop ends: what is put back is put back then. 0 or -errno. */
int manager_open(bool is_user, sd_bus **ret);

/* Calls found for each unit that is loaded; less than 0 from it ends that. 0 or -errno. */
int manager_each_unit(sd_bus *bus, int (*found)(void *context, const char *name), void *context);

/*
 * Asks about a unit, its states and files only unless with_shares. load: has it loaded if it is not. 0; -ENOENT for one
 * that there is not, or goes by another name, or is of a kind without a weight; or another -errno. In any case the caller
 * clears it.
 */
int unit_read(sd_bus *bus, const char *name, bool load, bool with_shares, struct unit *ret);
void unit_clear(struct unit *unit);

/* The cgroup that the unit has, or will have when it starts. 0; -ENOENT as unit_read; or -errno. */
int unit_cgroup(sd_bus *bus, const char *name, char ret[CGROUP_PATH_MAX]);

/* At run time: gone with the boot. 0; -ENOENT or -EACCES if the manager refuses; or another -errno. */
int unit_set_weight(sd_bus *bus, const char *name, uint64_t weight);

/*
 * Whether the cpu controller is on for the unit and its siblings already. A weight would switch it on, and make a border
 * between each two of them.
 */
int unit_has_border(sd_bus *bus, const struct unit *unit, bool *ret);
