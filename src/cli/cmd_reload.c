/* SPDX-License-Identifier: GPL-2.0-only */
#include "configuration.h"
#include "verb.h"

int cmd_reload(const struct command *command __attribute__((unused)))
{
	return reload_daemon();
}
