/* SPDX-License-Identifier: GPL-2.0-only */
#include "client.h"
#include "verb.h"

int cmd_set(const struct command *command)
{
	bool is_given;
	pid_t pid;
	int status = take_pid(command, command->operands[0], &pid);

	return status ? status
		      : client_set_class(pid, command->operands[1], option_given(command, OPTION_INHERIT), &is_given);
}
