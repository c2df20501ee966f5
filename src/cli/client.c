/* SPDX-License-Identifier: GPL-2.0-only */
#include "client.h"

#include <errno.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/log.h>

int client_open(sd_bus **ret)
{
	sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	if (r >= 0)
		r = sd_bus_set_address(bus, "unix:path=" BUS_SOCKET);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0) {
		if (r == -ENOENT || r == -ECONNREFUSED)
			log_error("not running");
		else if (r == -EACCES || r == -EPERM)
			log_error("not allowed to talk to the daemon: must be root");
		else
			log_error("talking to the daemon: %s", strerror(-r));
		sd_bus_unref(bus);
		return r;
	}
	*ret = bus;
	return 0;
}
