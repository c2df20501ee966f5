/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads the configuration: from files, or the one that the running daemon has in force. */
#pragma once

#include <systemd/sd-bus.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/config_load.h>
#include <schedqos/util/cleanup.h>

#include "client.h"
#include "verb.h"

DEFINE_CLEANUP(struct config, config_free)

/*
 * Reads the files. Returns 0; or EXIT_CONFIG after printing all errors. With checks, prints warnings, too, including
 * those that only `check` gives.
 */
int read_config(const struct config_paths *paths, bool checks, struct config **ret);

/* Warns if options name files: the daemon, which answers, has its own. */
void warn_unused_paths(const struct config_paths *paths);

/*
 * Fills in the paths that are NULL with those that the daemon was started with. Returns 0; or -errno after logging the
 * reason. The strings belong to *ret, the daemon's status, which the caller deletes.
 */
int daemon_paths(struct config_paths *paths, cJSON **ret);

/* Fetches the configuration that the daemon has in force. Returns 0; or -errno after logging the reason. */
int daemon_config(struct config **ret);

/* Has the daemon read its configuration again, and prints the result. Returns an exit status. */
int reload_daemon(void);

/* ---- the difference between two configurations ---- */

/*
 * Prints a line for each difference, one with their number, and one with the number of running tasks that change class.
 */
void show_diff(const struct config *before, const struct config *after);
