/* SPDX-License-Identifier: GPL-2.0-only */
/* The methods of org.schedqos1.Manager, which concern the daemon as a whole. */
#include "bus.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>
#include <schedqos/util/version.h>

#include "daemon_private.h"

static int reply_errno(sd_bus_error *error, int r)
{
	return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
}

/* Implements Reload, and SetMapping, which has a mapping's name as argument. */
static int reload(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ char *text = NULL, *summary = NULL;
	const char *mapping = NULL;
	int r = sd_bus_message_is_empty(message) ? 0 : sd_bus_message_read(message, "s", &mapping);

	if (r < 0)
		return r;
	r = daemon_reload(userdata, mapping, &text, &summary);
	if (r == -EINVAL)
		return sd_bus_error_set(error, BUS_ERROR_CONFIG, text ? text : "");
	if (r < 0)
		return reply_errno(error, r);
	return sd_bus_reply_method_return(message, "ss", text ? text : "", summary ? summary : "");
}

/*
 * Returns the configuration in force as the text of two files. Made anew for each call, because calls are rare and
 * 15,000 rules take some MB, which are returned to the system.
 */
static int get_config(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct daemon *daemon = userdata;
	char *rules = config_print(daemon->config, true), *profiles = config_print_profiles(daemon->config);
	int r = rules && profiles ? sd_bus_reply_method_return(message, "ss", rules, profiles) : -ENOMEM;

	(void)error;
	free(rules);
	free(profiles);
	malloc_trim(0);
	return r;
}

/*
 * Returns the weight of each pattern of units; as GetUserWeights, that of patterns for units of users. The first
 * pattern that matches a unit counts.
 */
static int get_weights(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct config *config = ((const struct daemon *)userdata)->config;
	const bool is_user = strcmp(sd_bus_message_get_member(message), "GetUserWeights") == 0;
	const struct weight_list *list = is_user ? &config->user_weights : &config->weights;
	int r = sd_bus_message_new_method_return(message, &reply);

	(void)error;
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "(sqb)");
	for (size_t i = 0; i < list->count && r >= 0; i++)
		r = sd_bus_message_append(reply, "(sqb)", list->items[i].pattern, list->items[i].number,
					  (int)list->items[i].at_seat);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	return r < 0 ? r : sd_bus_message_send(reply);
}

static int unknown_profile(const struct config *config, const char *name, sd_bus_error *error)
{
	_cleanup_free_ char *words = profile_words_unknown(config, name);

	return words ? sd_bus_error_set(error, BUS_ERROR_UNKNOWN_PROFILE, words) : -ENOMEM;
}

/* Switches the sched profile. The answer lists the knobs that could not be set. */
static int set_sched_profile(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct daemon *daemon = userdata;
	char *const *refusals;
	const char *name;
	size_t count = 0;
	int r = sd_bus_message_read(message, "s", &name);

	if (r < 0)
		return r;
	r = machine_switch(daemon->machine, name);
	if (r == -ENOENT)
		return unknown_profile(daemon->config, name, error);
	if (r < 0)
		return reply_errno(error, r);
	sd_event_source_set_enabled(daemon->changed, SD_EVENT_ONESHOT);
	refusals = machine_refusals(daemon->machine, &count);
	r = sd_bus_message_new_method_return(message, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "s");
	for (size_t i = 0; i < count && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", refusals[i]);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	return r < 0 ? r : sd_bus_message_send(reply);
}

/* Returns a property. userdata is the daemon. */
static int get_manager_property(sd_bus *bus, const char *path, const char *interface, const char *name,
				sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const struct daemon *daemon = userdata;
	const struct settings *settings = &daemon->config->settings;
	_cleanup_free_ char *safe = NULL;
	const char *value = version_text;

	(void)bus;
	(void)path;
	(void)interface;
	(void)error;
	if (strcmp(name, "SchedProfile") == 0)
		value = machine_profile(daemon->machine);
	else if (strcmp(name, "Mapping") == 0)
		value = settings->mapping;
	else if (strcmp(name, "Focus") == 0)
		value = settings->focus;
	safe = text_escape(value ? value : "", value ? strlen(value) : 0);
	return safe ? sd_bus_message_append(reply, "s", safe) : -ENOMEM;
}

#define PROPERTY(name) SD_BUS_PROPERTY(name, "s", get_manager_property, 0, 0)

const sd_bus_vtable bus_manager_methods[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Status", NULL, "s", bus_status, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("Reload", NULL, "ss", reload, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("SetMapping", "s", "ss", reload, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("SetSchedProfile", "s", "as", set_sched_profile, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("GetConfig", NULL, "ss", get_config, 0),
	SD_BUS_METHOD("GetWeights", NULL, "a(sqb)", get_weights, 0),
	SD_BUS_METHOD("GetUserWeights", NULL, "a(sqb)", get_weights, BUS_FOR_BRIDGE),
	SD_BUS_METHOD("ExplainName", "s", "s", bus_explain_name, 0),
	SD_BUS_METHOD("ListTasks", NULL, BUS_TASKS, bus_list_tasks, BUS_FOR_BRIDGE),
	SD_BUS_SIGNAL("Changed", NULL, 0),
	PROPERTY("Version"),
	PROPERTY("SchedProfile"),
	PROPERTY("Mapping"),
	PROPERTY("Focus"),
	SD_BUS_VTABLE_END,
};
