/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a user's own service has its orders from, as the daemon does not let it in: it reads the daemon's files while that
 * runs, and what units say of their tasks it tells the bridge.
 */
#pragma once

#include <stdbool.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/policy/config.h>

#include "classes.h"

struct user_side {
	const struct config_paths *paths;
	/* The configuration may be another one, or the classes have to be told again; or the error for which nothing goes on. */
	int (*changed)(void *context, int error);
	void *context;

	struct config *config; /* as the daemon has it; NULL: it does not run */
	sd_bus *system;
	char state[32];	 /* of the daemon's unit */
	bool has_told;	 /* the bridge, of some */
	bool is_refused; /* that has been said */
};

/* Begins with the first three. 0 or -errno, which is logged. */
int user_side_open(struct user_side *side, sd_event *event);

/* Without waiting for an answer. */
void user_side_tell(struct user_side *side, const struct classes *classes);

void user_side_close(struct user_side *side);
