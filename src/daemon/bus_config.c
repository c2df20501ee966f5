/* SPDX-License-Identifier: GPL-2.0-only */
#include "bus_config.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "bus_getter.h"
#include "daemon_private.h"

int bus_append_escaped(sd_bus_message *reply, const char *string)
{
	_cleanup_free_ char *text = text_escape(string, strlen(string));

	return text ? sd_bus_message_append(reply, "s", text) : -ENOMEM;
}

GETTER(get_config_files)
{
	struct daemon *daemon = userdata;
	int r = sd_bus_message_open_container(reply, 'a', "s");

	UNUSED_GETTER_ARGUMENTS;
	for (size_t i = 0; i < daemon->config->n_files && r >= 0; i++)
		r = bus_append_escaped(reply, daemon->config->files[i]);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(get_config_file)
{
	const struct config_paths *paths = &((struct daemon *)userdata)->paths;

	UNUSED_GETTER_ARGUMENTS;
	return bus_append_escaped(reply, paths->file ? paths->file : "");
}

GETTER(get_config_folder)
{
	const struct config_paths *paths = &((struct daemon *)userdata)->paths;

	UNUSED_GETTER_ARGUMENTS;
	return bus_append_escaped(reply, paths->folder ? paths->folder : "");
}

GETTER(get_mapping)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return bus_append_escaped(reply, daemon->config->settings.mapping);
}

static int append_user(sd_bus_message *reply, const struct rule_user *user)
{
	_cleanup_free_ char *name = text_escape(user->name, strlen(user->name)), *text = NULL;

	if (!name || asprintf(&text, "%s (%s)", name, strerror(-user->error)) < 0)
		return -ENOMEM;
	return sd_bus_message_append(reply, "s", text);
}

GETTER(get_pending_users)
{
	struct daemon *daemon = userdata;
	int r = sd_bus_message_open_container(reply, 'a', "s");

	UNUSED_GETTER_ARGUMENTS;
	for (const struct rule_user *user = daemon->config->users; user && r >= 0; user = user->next) {
		if (rule_user_is_pending(user))
			r = append_user(reply, user);
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(get_rules)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "t", (uint64_t)rules_count(daemon->config->rules));
}

GETTER(get_reload_error)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "s", daemon->reload_error ? daemon->reload_error : "");
}

/* Made anew for each call, since nobody asks often: of 15,000 rules it takes 30 ms and 6 MB, which go back. */
int bus_get_config(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	struct daemon *daemon = userdata;
	struct config_items items;
	int r = config_items_of(daemon->config, &items);

	(void)error;
	if (r < 0)
		return r;
	r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "(ssss)");
	for (size_t i = 0; i < items.count && r >= 0; i++) {
		const struct config_item *item = &items.items[i];

		r = sd_bus_message_append(reply, "(ssss)", item->kind, item->name, item->text, item->place);
	}
	config_items_clear(&items);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_message_send(reply);
	malloc_trim(0);
	return r < 0 ? r : 1;
}

/* Of a struct daemon. */
static const sd_bus_vtable properties[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("ConfigFile", "s", get_config_file, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("ConfigFolder", "s", get_config_folder, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("ConfigFiles", "as", get_config_files, 0, 0),
	SD_BUS_PROPERTY("Rules", "t", get_rules, 0, 0),
	SD_BUS_PROPERTY("Mapping", "s", get_mapping, 0, 0),
	SD_BUS_PROPERTY("PendingUsers", "as", get_pending_users, 0, 0),
	SD_BUS_PROPERTY("ReloadError", "s", get_reload_error, 0, 0),
	SD_BUS_VTABLE_END,
};

int bus_config_add(sd_bus *bus, struct daemon *daemon)
{
	return sd_bus_add_object_vtable(bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE, properties, daemon);
}
