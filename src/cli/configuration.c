/* SPDX-License-Identifier: GPL-2.0-only */
#include "configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"

/* ---- read here ---- */

void print_errors(const struct config_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++) {
		_cleanup_free_ char *line = config_error_text(&errors->items[i]);

		fprintf(stderr, "%s\n", line ? line : "out of memory");
	}
}

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

/* ---- the daemon's ---- */

void own_paths_clear(struct own_paths *paths)
{
	free(paths->file);
	free(paths->folder);
	free(paths->mapping);
	*paths = (struct own_paths){ 0 };
}

/* NULL for "", and without memory. */
static char *read_path(const cJSON *status, const char *key)
{
	const char *path = member_text(status, key);

	return *path ? strdup(path) : NULL;
}

int daemon_paths(sd_bus *bus, struct own_paths *ret)
{
	_cleanup_(cJSON_Deletep) cJSON *status = status_read(bus);

	if (!status)
		return -EIO;
	ret->file = read_path(status, "config_file");
	ret->folder = read_path(status, "config_folder");
	ret->mapping = read_path(status, "config_mapping");
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
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	struct config_items items = { 0 };
	int r;

	if (client_call(bus, BUS_INTERFACE, "GetConfig", &reply, ""))
		return -EIO;
	r = read_items(reply, &items);
	if (r < 0) {
		log_error("the daemon's configuration: %s", strerror(-r));
		config_items_clear(&items);
		return r;
	}
	*ret = items;
	return 0;
}

int reload_daemon(sd_bus *bus)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *warnings = "", *summary = "";
	int status = client_call(bus, BUS_INTERFACE, "Reload", &reply, "");

	if (status == EXIT_CONFIG)
		log_error("reload refused: the configuration that was in force stays");
	if (status)
		return status;
	sd_bus_message_read(reply, "ss", &warnings, &summary);
	if (warnings[0])
		fprintf(stderr, "%s\n", warnings);
	log_info("%s", summary);
	return 0;
}
