/* SPDX-License-Identifier: GPL-2.0-only */
#include "override_call.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/number.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "override_user.h"
#include "verb.h"

bool parse_pid(const char *text, pid_t *ret)
{
	char safe[256];
	uint64_t pid;

	if (parse_u64(text, strlen(text), INT_MAX, &pid) < 0 || pid == 0) {
		log_error("'%s' is not a process id", text_escape_to(safe, sizeof(safe), text, strlen(text)));
		return false;
	}
	*ret = (pid_t)pid;
	return true;
}

int override_failed(const sd_bus_error *error, int r)
{
	log_error("%s", error->message ? error->message : strerror(-r));
	return sd_bus_error_has_name(error, BUS_ERROR_UNKNOWN_CLASS) ? EXIT_USAGE : EXIT_FAILURE;
}

/* What the daemon says of the process after it was asked for qos. */
static int judge(pid_t pid, const char *qos, const char *class, const char *reason)
{
	if (strcmp(class, qos) == 0)
		return 0;
	if (*class)
		log_warning("process %d: limited to %s", (int)pid, class);
	else
		log_error("process %d: not in %s for now: %s", (int)pid, qos, reason);
	return *class ? 0 : EXIT_FAILURE;
}

static int set_as_root(sd_bus *bus, pid_t pid, const char *qos, bool inherit, bool *ret_given)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *class = "", *reason = "";
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Set", &error, &reply, "usbb",
				   (uint32_t)pid, qos, (int)inherit, 1);

	*ret_given = r >= 0;
	if (r < 0)
		return override_failed(&error, r);
	r = sd_bus_message_read(reply, "ss", &class, &reason);
	if (r < 0)
		return override_failed(&error, r);
	return judge(pid ? pid : getpid(), qos, class, reason);
}

static int reset_as_root(sd_bus *bus, pid_t pid)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint64_t ended = 0;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Reset", &error, &reply, "u",
				   (uint32_t)pid);

	if (r >= 0)
		r = sd_bus_message_read(reply, "t", &ended);
	if (r < 0)
		return override_failed(&error, r);
	if (!ended)
		log_error("nobody has set a class for process %d", (int)pid);
	return ended ? 0 : EXIT_FAILURE;
}

int override_set(pid_t pid, const char *qos, bool inherit, bool *ret_given)
{
	sd_bus *bus;
	int status;

	*ret_given = false;
	if (geteuid() != 0)
		return override_user_set(pid, qos, inherit, ret_given);
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = set_as_root(bus, pid, qos, inherit, ret_given);
	sd_bus_flush_close_unref(bus);
	return status;
}

int override_reset(pid_t pid)
{
	sd_bus *bus;
	int status;

	if (geteuid() != 0)
		return override_user_reset(pid);
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = reset_as_root(bus, pid);
	sd_bus_flush_close_unref(bus);
	return status;
}
