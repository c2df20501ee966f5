/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/bridge/bridge.h>

#include "verb.h"

int cmd_bridge(const struct command *command)
{
	return bridge_run(option_given(command, OPTION_SYSTEM76));
}
