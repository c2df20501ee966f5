/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"

int cmd_reset(const struct command *command)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint64_t ended = 0;
	pid_t pid;
	int status = take_pid(command, command->operands[0], &pid);

	if (status == 0)
		status = client_call(BUS_OVERRIDES_INTERFACE, "Reset", &reply, "u", (uint32_t)pid);
	if (status)
		return status;
	sd_bus_message_read(reply, "t", &ended);
	if (!ended && client_is_bridged())
		log_error("you have set no class for process %d; root may have", (int)pid);
	else if (!ended)
		log_error("nobody has set a class for process %d itself; if an ancestor passed one on, reset that one", (int)pid);
	return ended ? 0 : EXIT_FAILURE;
}
