/* SPDX-License-Identifier: GPL-2.0-only */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

static int answer(sd_bus_message *message, int r, const char *json, sd_bus_error *error)
{
	if (r < 0)
		return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
	return sd_bus_reply_method_return(message, "s", json);
}

int bus_explain(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ char *json = NULL;
	struct daemon *daemon = userdata;
	uint32_t tid = 0;
	int r = sd_bus_message_read(message, "u", &tid);

	if (r >= 0)
		r = tid && tid <= INT32_MAX ? tagger_explain(daemon->tagger, (pid_t)tid, &json) : -ESRCH;
	if (r == -ESRCH)
		return sd_bus_error_setf(error, BUS_ERROR_NO_TASK, "there is no task %u: it may have ended", tid);
	return answer(message, r, json, error);
}

int bus_explain_name(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ char *json = NULL;
	struct daemon *daemon = userdata;
	const char *name;
	int r = sd_bus_message_read(message, "s", &name);

	if (r >= 0)
		r = tagger_explain_name(daemon->tagger, name, &json);
	return answer(message, r, json, error);
}
