/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "client.h"
#include "daemon_config.h"
#include "verb.h"

int cmd_reload(const struct command *command __attribute__((unused)))
{
	sd_bus *bus;
	int status;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = daemon_reload_by(bus);
	sd_bus_flush_close_unref(bus);
	return status;
}
