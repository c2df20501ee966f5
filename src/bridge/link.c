/* SPDX-License-Identifier: GPL-2.0-only */
/* Connects the bridge to the daemon, and keeps the properties on the bus up to date. */
#include "bridge_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cjson/cJSON.h>

#include <schedqos/util/cleanup.h>

DEFINE_CLEANUP(cJSON, cJSON_Delete)

/*
 * Time after which the bridge ends if there is no daemon. Not shorter, because each further call would have the bus
 * start another bridge.
 */
#define ALONE_US (5 * 1000000ULL)

/* Time to wait for the properties: callers should be told soon if the daemon is stopped in a debugger. */
#define BEGIN_US (5 * 1000000ULL)

/* By enum daemon_property: the key in the daemon's status, and the name on the bus. */
static const struct {
	const char *key, *name;
} properties[N_PROPERTIES] = {
	[PROPERTY_VERSION] = { "version", "Version" },
	[PROPERTY_PROFILE] = { "sched_profile", "SchedProfile" },
	[PROPERTY_MAPPING] = { "mapping", "Mapping" },
	[PROPERTY_FOCUS] = { "focus", "Focus" },
};

/* Sets the properties from the daemon's status, NULL for no daemon, and announces changes. */
static void take_properties(struct bridge *bridge, const cJSON *status)
{
	char *changed[N_PROPERTIES + 1] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < N_PROPERTIES; i++) {
		const char *now = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(status, properties[i].key));
		char *copy = strdup(now ? now : "");

		if (!copy)
			continue;
		if (bridge->properties[i] && strcmp(bridge->properties[i], copy) != 0)
			changed[count++] = (char *)properties[i].name;
		free(bridge->properties[i]);
		bridge->properties[i] = copy;
	}
	if (!count)
		return;
	sd_bus_emit_properties_changed_strv(bridge->bus, BUS_PATH, BRIDGE_NAME, changed);
	sd_bus_emit_properties_changed(bridge->bus, SYSTEM76_PATH, SYSTEM76_NAME, "CpuProfile", NULL);
}

static int on_status(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	_cleanup_(cJSON_Deletep) cJSON *status = NULL;
	const char *text;

	(void)error;
	if (!sd_bus_message_is_method_error(reply, NULL) && sd_bus_message_read(reply, "s", &text) >= 0)
		status = cJSON_Parse(text);
	if (status)
		take_properties(userdata, status);
	return 0;
}

/* Asks for the status again. message is NULL if the daemon has reported no change. */
static int on_changed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;

	(void)error;
	if (message)
		sd_bus_emit_signal(bridge->bus, BUS_PATH, BRIDGE_NAME, "Reloaded", NULL);
	sd_bus_call_method_async(bridge->daemon, NULL, NULL, BUS_PATH, BUS_INTERFACE, "Status", on_status, bridge,
				 NULL);
	return 0;
}

static clockid_t clock_of(sd_bus *daemon)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	clockid_t clock;

	if (getsockopt(sd_bus_get_fd(daemon), SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    clock_getcpuclockid(peer.pid, &clock) != 0)
		return 0;
	return clock;
}

uint64_t link_daemon_us(const struct bridge *bridge)
{
	struct timespec now;

	if (!bridge->daemon_clock || clock_gettime(bridge->daemon_clock, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t link_worked_us(struct bridge *bridge, uint64_t asked_us)
{
	const uint64_t answered_us = link_daemon_us(bridge);
	const uint64_t began_us = asked_us > bridge->answered_us ? asked_us : bridge->answered_us;

	bridge->answered_us = answered_us;
	return answered_us > began_us ? answered_us - began_us : 0;
}

/* Connects. When the daemon ends, the bridge ends, like everything that the daemon held for callers. */
static int open_link(struct bridge *bridge)
{
	_cleanup_(sd_bus_close_unrefp) sd_bus *daemon = NULL;
	int r = bus_connect(&daemon);

	if (r >= 0)
		r = sd_bus_set_close_on_exit(daemon, 0);
	if (r >= 0)
		r = sd_bus_match_signal(daemon, NULL, NULL, BUS_PATH, BUS_INTERFACE, "Changed", on_changed, bridge);
	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(daemon, 1);
	if (r >= 0)
		r = sd_bus_attach_event(daemon, bridge->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		return r;
	bridge->daemon_clock = clock_of(daemon);
	bridge->daemon = take_ptr(daemon);
	return 0;
}

int link_need(struct bridge *bridge)
{
	int r = bridge->daemon ? 0 : open_link(bridge);

	if (r == 0 && !*bridge->properties[PROPERTY_VERSION])
		on_changed(NULL, bridge, NULL);
	return r;
}

static int on_alone(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct bridge *bridge = userdata;

	(void)source;
	(void)usec;
	return link_need(bridge) < 0 ? sd_event_exit(bridge->event, 0) : 0;
}

int link_begin(struct bridge *bridge)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL, *reply = NULL;
	int r;

	take_properties(bridge, NULL);
	if (open_link(bridge) < 0)
		return sd_event_add_time_relative(bridge->event, NULL, CLOCK_MONOTONIC, ALONE_US, 0, on_alone, bridge);
	r = sd_bus_message_new_method_call(bridge->daemon, &question, NULL, BUS_PATH, BUS_INTERFACE, "Status");
	if (r >= 0 && sd_bus_call(bridge->daemon, question, BEGIN_US, NULL, &reply) >= 0)
		on_status(reply, bridge, NULL);
	return r;
}

void link_end(struct bridge *bridge)
{
	sd_bus_close_unref(bridge->daemon);
	for (size_t i = 0; i < N_PROPERTIES; i++)
		free(bridge->properties[i]);
}
