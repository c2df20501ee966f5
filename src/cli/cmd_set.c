/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "client.h"
#include "override_call.h"
#include "verb.h"

int cmd_set(const struct command *command)
{
	sd_bus *bus;
	bool is_given;
	pid_t pid;
	int status;

	if (!parse_pid(command->operands[0], &pid))
		return EXIT_USAGE;
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = override_set(bus, pid, command->operands[1], option_given(command, OPTION_INHERIT),
			      &is_given);
	sd_bus_flush_close_unref(bus);
	return status;
}
