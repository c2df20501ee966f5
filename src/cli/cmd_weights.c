/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/bridge/weights.h>

#include "verb.h"

int cmd_weights(const struct command *command)
{
	return option_given(command, OPTION_RESTORE) ? weights_restore() : weights_run();
}
