/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/restore.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/log.h>

#include "verb.h"

/*
 * systemd tells it to what it runs after a service (ExecStopPost). A daemon that failed is started again, and adopts
 * what there is; if it is not, another unit restores, which is not told this.
 */
static bool is_after_failure(void)
{
	const char *result = getenv("SERVICE_RESULT");

	return result && strcmp(result, "success") != 0;
}

int cmd_restore(const struct command *command __attribute__((unused)))
{
	if (is_after_failure()) {
		log_info("the service has failed: what there is to put back is left to what follows");
		return 0;
	}
	return restore_run();
}
