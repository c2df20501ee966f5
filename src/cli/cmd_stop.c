/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include <schedqos/util/log.h>

#include "stop_daemon.h"
#include "verb.h"

int cmd_stop(const struct verb *verb, int argc, char **argv)
{
	bool was_running;
	int status;

	if (no_arguments(verb, argc, argv, &status) < 0)
		return status;
	if (stop_daemon(&was_running) < 0)
		return EXIT_FAILURE;
	if (!was_running) {
		log_error("not running");
		return EXIT_FAILURE;
	}
	return 0;
}
