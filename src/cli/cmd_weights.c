/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/bridge/bridge.h>

#include "verb.h"

int cmd_weights(const struct command *command)
{
	const bool is_user = option_given(command, OPTION_USER);

	if (!is_user && (command->paths.file || command->paths.folder))
		return usage_error(command->verb, "--config and --configs-path go with --user: otherwise the daemon is asked");
	return option_given(command, OPTION_RESTORE) ? weights_restore(is_user) : weights_run(is_user ? &command->paths : NULL);
}
