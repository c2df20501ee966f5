/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"

static int reset(pid_t pid, sd_bus_message **ret)
{
	if (!client_is_bridged())
		return client_call(BUS_OVERRIDES_INTERFACE, "Reset", ret, "uu", 0, (uint32_t)pid);
	return client_call(NULL, "Reset", ret, "u", (uint32_t)pid);
}

int cmd_reset(const struct command *command)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint64_t ended = 0;
	pid_t pid;
	int status = take_pid(command, command->operands[0], &pid);

	if (status == 0)
		status = client_open() < 0 ? EXIT_FAILURE : reset(pid, &reply);
	if (status)
		return status;
	sd_bus_message_read(reply, "t", &ended);
	if (!ended)
		log_error("nobody has set a class for process %d", (int)pid);
	return ended ? 0 : EXIT_FAILURE;
}
