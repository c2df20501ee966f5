/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include <schedqos/util/log.h>

#include "stop_daemon.h"
#include "verb.h"

int cmd_stop(const struct command *command __attribute__((unused)))
{
	bool was_running;

	if (stop_daemon(&was_running) < 0)
		return EXIT_FAILURE;
	if (!was_running) {
		log_error("not running");
		return EXIT_FAILURE;
	}
	return 0;
}
