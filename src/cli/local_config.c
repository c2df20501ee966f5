/* SPDX-License-Identifier: GPL-2.0-only */
#include "local_config.h"

#include <errno.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/log.h>

#include "print_errors.h"

int local_config(const struct command *command, struct config **ret)
{
	struct config_errors errors = { 0 };
	int r = config_load(&command->paths, CONFIG_USERS_MS, ret, &errors);

	print_errors(&errors);
	config_errors_clear(&errors);
	if (r < 0 && r != -EINVAL)
		log_error("reading the configuration: %s", strerror(-r));
	return r < 0 ? EXIT_CONFIG : 0;
}
