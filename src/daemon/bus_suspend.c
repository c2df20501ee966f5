/* SPDX-License-Identifier: GPL-2.0-only */
#include "bus_suspend.h"

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/log.h>

#include "daemon_private.h"

static void set_suspended(struct daemon *daemon, const sd_bus *by)
{
	daemon->suspended_by = by;
	tagger_suspend(daemon->tagger, by != NULL);
	log_info("%s", by ? "suspended for a client: every task has what it had" : "resumed");
}

void bus_suspend_release(const sd_bus *bus, struct daemon *daemon)
{
	if (bus && daemon->suspended_by == bus)
		set_suspended(daemon, NULL);
}

static int method_suspend(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const sd_bus *bus = sd_bus_message_get_bus(message);
	struct daemon *daemon = userdata;

	if (daemon->suspended_by && daemon->suspended_by != bus)
		return sd_bus_error_set(error, BUS_ERROR_FAILED,
					"suspended for another client already");
	if (!daemon->suspended_by)
		set_suspended(daemon, bus);
	return sd_bus_reply_method_return(message, NULL);
}

static int method_resume(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct daemon *daemon = userdata;

	if (daemon->suspended_by && daemon->suspended_by != sd_bus_message_get_bus(message))
		return sd_bus_error_set(error, BUS_ERROR_FAILED, "suspended for another client");
	bus_suspend_release(daemon->suspended_by, daemon);
	return sd_bus_reply_method_return(message, NULL);
}

/* Of a struct daemon. */
static const sd_bus_vtable methods[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Suspend", NULL, NULL, method_suspend, 0),
	SD_BUS_METHOD("Resume", NULL, NULL, method_resume, 0),
	SD_BUS_VTABLE_END,
};

int bus_suspend_add(sd_bus *bus, struct daemon *daemon)
{
	return sd_bus_add_object_vtable(bus, NULL, BUS_PATH, BUS_INTERFACE, methods, daemon);
}
