/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon as the command line starts it. */
#pragma once

#include <stdbool.h>

#include <schedqos/daemon/config_load.h>

/* Exit status of a program whose configuration is wrong (sysexits.h). */
#define EXIT_CONFIG 78

struct daemon_options {
	struct config_paths paths;
	bool detach;  /* go to the background once listening and scanned */
	bool verbose; /* log at debug level, whatever the configuration says */
};

/*
 * Runs the daemon until it is told to stop, with everything put back; with detach, returns in the process that
 * called it once the daemon is ready or has failed. Returns an exit status: 0, 1 or EXIT_CONFIG. Says on
 * stderr what went wrong.
 */
int daemon_run(const struct daemon_options *options);
