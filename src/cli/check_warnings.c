/* SPDX-License-Identifier: GPL-2.0-only */
#include "check_warnings.h"

#include <stdlib.h>

#include <schedqos/daemon/config_reach.h>

int check_warnings(const struct config *config, struct config_errors *errors)
{
	const char *path = getenv("PATH");
	int r = config_check_grants(config, errors);

	if (r == 0)
		r = config_check_groups(config, errors);
	if (r == 0)
		r = config_check_beaten(config, errors);
	if (r == 0)
		r = config_check_reach(config, path ? path : "/usr/bin:/usr/sbin", errors);
	return r;
}
