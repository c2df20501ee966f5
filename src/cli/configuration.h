/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration, read here or in force in the daemon that runs. */
#pragma once

#include <systemd/sd-bus.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/config_load.h>
#include <schedqos/util/cleanup.h>

#include "client.h"
#include "verb.h"

DEFINE_CLEANUP(struct config, config_free)

/*
 * Reads it here. Returns 0 or an exit status after printing all that is wrong with it. checks: prints in any case what
 * is wrong, and all that check warns of.
 */
int read_config(const struct config_paths *paths, bool checks, struct config **ret);

/*
 * The paths that are not given become those that the daemon was given. 0, or -errno after logging why that cannot be
 * told. The strings are those of *ret, what it says of itself, for the caller to delete.
 */
int daemon_paths(struct config_paths *paths, cJSON **ret);

/* What the daemon has in force. 0, or -errno after logging why that cannot be told. */
int daemon_config(struct config **ret);

/* Has the daemon read its configuration again, and says what came of it. Returns an exit status. */
int reload_daemon(void);

/* ---- the difference between two configurations, for people ---- */

/* A line for each, then one that counts them, and one that tells how many running tasks change class. */
void show_diff(const struct config *before, const struct config *after);
