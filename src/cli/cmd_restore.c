/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/daemon.h>

#include "verb.h"

int cmd_restore(const struct command *command __attribute__((unused)))
{
	return restore_run();
}
