/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "override_call.h"
#include "verb.h"

static int reset(sd_bus *bus, pid_t pid)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint64_t ended = 0;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Reset", &error, &reply, "u",
				   (uint32_t)pid);

	if (r >= 0)
		r = sd_bus_message_read(reply, "t", &ended);
	if (r < 0)
		return override_failed(&error, r);
	if (!ended)
		log_error("nobody has set a class for process %d", (int)pid);
	return ended ? 0 : EXIT_FAILURE;
}

int cmd_reset(const struct command *command)
{
	sd_bus *bus;
	pid_t pid;
	int status;

	if (!parse_pid(command->operands[0], &pid))
		return EXIT_USAGE;
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = reset(bus, pid);
	sd_bus_flush_close_unref(bus);
	return status;
}
