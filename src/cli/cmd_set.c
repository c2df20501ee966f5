/* SPDX-License-Identifier: GPL-2.0-only */
#include "override_call.h"
#include "verb.h"

int cmd_set(const struct command *command)
{
	bool is_given;
	pid_t pid;

	if (!parse_pid(command->operands[0], &pid))
		return EXIT_USAGE;
	return override_set(pid, command->operands[1], option_given(command, OPTION_INHERIT), &is_given);
}
