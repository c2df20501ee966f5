/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"

int set_class(pid_t pid, const char *qos, bool inherit, bool *ret_given)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *class = "", *reason = "";
	_cleanup_free_ char *safe = NULL;
	/* 0 stands for root's client itself, because only the daemon knows its id in the initial PID namespace. */
	int status = client_call(BUS_OVERRIDES_INTERFACE, "SetClass", &reply, "usbb", (uint32_t)pid, qos, (int)inherit,
				 1);

	*ret_given = status == 0;
	if (status)
		return status;
	sd_bus_message_read(reply, "ss", &class, &reason);
	if (strcmp(class, qos) == 0)
		return 0;
	safe = client_text(*class ? class : reason);
	if (*class)
		log_warning("process %d: limited to %s", (int)(pid ? pid : getpid()), safe ? safe : "?");
	else
		log_error("process %d did not get %s: %s", (int)(pid ? pid : getpid()), qos, safe ? safe : "?");
	return *class ? 0 : EXIT_FAILURE;
}

int cmd_set(const struct command *command)
{
	bool is_given;
	pid_t pid;
	int status = take_pid(command, command->operands[0], &pid);

	return status ? status : set_class(pid, command->operands[1], option_given(command, OPTION_INHERIT), &is_given);
}
