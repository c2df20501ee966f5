/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/bridge/bridge.h>

#include "verb.h"

int cmd_weights(const struct command *command)
{
	const bool is_user = option_given(command, OPTION_USER);

	return option_given(command, OPTION_RESTORE) ? weights_restore(is_user) : weights_run(is_user);
}
