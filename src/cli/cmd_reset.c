/* SPDX-License-Identifier: GPL-2.0-only */
#include "override_call.h"
#include "verb.h"

int cmd_reset(const struct command *command)
{
	pid_t pid;

	return parse_pid(command->operands[0], &pid) ? override_reset(pid) : EXIT_USAGE;
}
