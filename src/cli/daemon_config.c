/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "status_reply.h"

void own_paths_clear(struct own_paths *paths)
{
	free(paths->file);
	free(paths->folder);
	*paths = (struct own_paths){ 0 };
}

/* A property that is a path; NULL for "", and without memory. */
static char *read_path(sd_bus_message *reply, const char *property)
{
	const char *path = status_text(reply, property);

	return *path ? strdup(path) : NULL;
}

int daemon_paths(sd_bus *bus, struct own_paths *ret)
{
	sd_bus_message *reply = status_read(bus);

	if (!reply)
		return -EIO;
	ret->file = read_path(reply, "ConfigFile");
	ret->folder = read_path(reply, "ConfigFolder");
	sd_bus_message_unref(reply);
	return 0;
}

static int read_items(sd_bus_message *reply, struct config_items *items)
{
	const char *kind, *name, *text, *place;
	int r = sd_bus_message_enter_container(reply, 'a', "(ssss)");

	while (r >= 0 &&
	       (r = sd_bus_message_read(reply, "(ssss)", &kind, &name, &text, &place)) > 0)
		r = config_items_add(items, kind, name, text, place);
	return r < 0 ? r : 0;
}

int daemon_items(sd_bus *bus, struct config_items *ret)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	struct config_items items = { 0 };
	sd_bus_message *reply = NULL;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_INTERFACE, "GetConfig", &error, &reply,
				   NULL);

	if (r >= 0)
		r = read_items(reply, &items);
	if (r < 0) {
		log_error("asking the daemon for its configuration: %s",
			  error.message ? error.message : strerror(-r));
		config_items_clear(&items);
	} else {
		*ret = items;
	}
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	return r;
}

int daemon_reload_by(sd_bus *bus)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	const char *warnings = "", *summary = "";
	int status = 0, r;

	r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_INTERFACE, "Reload", &error, &reply, NULL);
	if (r >= 0) {
		sd_bus_message_read(reply, "ss", &warnings, &summary);
		if (warnings[0])
			fprintf(stderr, "%s\n", warnings);
		log_info("%s", summary);
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
