/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of the daemon that runs: where it is from, and what is in force. */
#pragma once

#include <systemd/sd-bus.h>

#include <schedqos/config/config_diff.h>
#include <schedqos/daemon/config_load.h>

/* Paths that are owned; starts as all zeroes. */
struct own_paths {
	char *file, *folder; /* NULL: the default */
};

void own_paths_clear(struct own_paths *paths);

/* Where the daemon reads its configuration. 0, or -errno after logging why that cannot be told. */
int daemon_paths(sd_bus *bus, struct own_paths *ret);

/* What the daemon has in force. 0, or -errno after logging why that cannot be told. */
int daemon_items(sd_bus *bus, struct config_items *ret);

/* Has the daemon read its configuration again, and says what came of it. Returns an exit status. */
int daemon_reload_by(sd_bus *bus);
