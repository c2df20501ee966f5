/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/restore.h>

#include "verb.h"

int cmd_restore(const struct verb *verb, int argc, char **argv)
{
	int status;

	if (no_arguments(verb, argc, argv, &status) < 0)
		return status;
	return restore_run();
}
