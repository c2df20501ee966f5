/* SPDX-License-Identifier: GPL-2.0-only */
/* The weights that units are to have, as the daemon says. */
#pragma once

#include <stdbool.h>

#include <systemd/sd-bus.h>

#include <schedqos/policy/config.h>

/* Begins with zeros. */
struct wanted {
	struct unit_weight *all; /* the first that holds counts */
	size_t n;
	sd_bus_message *reply; /* of the daemon; holds the patterns */
};

/* Asks the daemon, for a user the bridge. 0 or -errno: they are as they were. */
int wanted_ask(struct wanted *wanted, sd_bus *daemon, bool is_user);

void wanted_clear(struct wanted *wanted);
