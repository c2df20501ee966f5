/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the daemon, and restores tasks and knobs after a daemon that was killed. */
#pragma once

#include <stdbool.h>

#include <schedqos/daemon/config_load.h>

/* Exit status of a program whose configuration is wrong (sysexits.h). */
#define EXIT_CONFIG 78

struct daemon_options {
	struct config_paths paths;
	bool detach;  /* go to the background after the first scan */
	bool verbose; /* log at debug level, whatever the configuration says */
};

/*
 * Runs the daemon until it is told to stop and has put everything back; with detach, returns in the calling process
 * once the daemon is ready or has failed. Returns an exit status: 0, 1 or EXIT_CONFIG. Prints errors to stderr.
 */
int daemon_run(const struct daemon_options *options);

/*
 * Restores tasks and knobs after a daemon that was killed, or after a sched profile that was applied without a daemon:
 * puts back everything that nobody has changed since, and removes the records. Refuses while a daemon runs. Returns 0
 * if nothing is left to do, else 1. Logs results and errors.
 */
int restore_run(void);
