/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"

static int reload(sd_bus *bus)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	const char *warnings = "";
	int status = 0, r;

	r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_INTERFACE, "Reload", &error, &reply, NULL);
	if (r >= 0) {
		sd_bus_message_read(reply, "s", &warnings);
		if (warnings[0])
			fprintf(stderr, "%s\n", warnings);
	} else if (sd_bus_error_has_name(&error, BUS_ERROR_CONFIG)) {
		fprintf(stderr, "%s\n", error.message);
		log_error("reload refused: the configuration that was in force stays");
		status = EXIT_CONFIG;
	} else {
		log_error("reload failed: %s", error.message ? error.message : "no answer");
		status = EXIT_FAILURE;
	}
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	return status;
}

int cmd_reload(const struct command *command __attribute__((unused)))
{
	sd_bus *bus;
	int status;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = reload(bus);
	sd_bus_flush_close_unref(bus);
	return status;
}
