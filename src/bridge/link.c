/* SPDX-License-Identifier: GPL-2.0-only */
/* Connects the bridge to the daemon, and keeps the properties on the bus up to date. */
#include "bridge_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/bus.h>

/*
 * Time after which the bridge ends if there is no daemon. Not shorter, because each further call would have the bus
 * start another bridge.
 */
#define ALONE_US (5 * 1000000ULL)

/* Time to wait for the properties: callers should be told soon if the daemon is stopped in a debugger. */
#define BEGIN_US (5 * 1000000ULL)

static const char *const properties[N_PROPERTIES] = {
	[PROPERTY_VERSION] = "Version",
	[PROPERTY_PROFILE] = "SchedProfile",
	[PROPERTY_MAPPING] = "Mapping",
	[PROPERTY_FOCUS] = "Focus",
};

/* Stores the values (NULL: an empty text), and announces those that have changed on the bus. */
static void take_properties(struct bridge *bridge, const char *const values[N_PROPERTIES])
{
	char *changed[N_PROPERTIES + 1] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < N_PROPERTIES; i++) {
		char *copy = strdup(values[i] ? values[i] : "");

		if (!copy)
			continue;
		if (bridge->properties[i] && strcmp(bridge->properties[i], copy) != 0)
			changed[count++] = (char *)properties[i];
		free(bridge->properties[i]);
		bridge->properties[i] = copy;
	}
	if (!count)
		return;
	sd_bus_emit_properties_changed_strv(bridge->bus, BUS_PATH, BRIDGE_NAME, changed);
	sd_bus_emit_properties_changed(bridge->bus, SYSTEM76_PATH, SYSTEM76_NAME, "CpuProfile", NULL);
}

/* Reads the values from the answer to GetAll, which owns them. Returns 0 or -errno. */
static int read_properties(sd_bus_message *reply, const char *values[N_PROPERTIES])
{
	const char *name;
	int r = sd_bus_message_enter_container(reply, 'a', "{sv}");

	while (r >= 0 && (r = sd_bus_message_enter_container(reply, 'e', "sv")) > 0) {
		size_t i = 0;

		r = sd_bus_message_read(reply, "s", &name);
		while (r >= 0 && i < N_PROPERTIES && strcmp(name, properties[i]) != 0)
			i++;
		if (r >= 0)
			r = i < N_PROPERTIES ? sd_bus_message_read(reply, "v", "s", &values[i]) :
					       sd_bus_message_skip(reply, "v");
		if (r >= 0)
			r = sd_bus_message_exit_container(reply);
	}
	return r;
}

static int on_properties(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const char *values[N_PROPERTIES] = { 0 };
	struct bridge *bridge = userdata;

	(void)error;
	bridge->is_asking = false;
	if (!sd_bus_message_is_method_error(reply, NULL) && read_properties(reply, values) >= 0)
		take_properties(bridge, values);
	return 0;
}

static int new_properties_call(struct bridge *bridge, sd_bus_message **ret)
{
	int r = sd_bus_message_new_method_call(bridge->daemon, ret, NULL, BUS_PATH, "org.freedesktop.DBus.Properties",
					       "GetAll");

	return r < 0 ? r : sd_bus_message_append(*ret, "s", BUS_INTERFACE);
}

/* Asks the daemon for its properties without waiting for the answer. */
static void ask_properties(struct bridge *bridge)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL;

	bridge->is_asking = new_properties_call(bridge, &question) >= 0 &&
			    sd_bus_call_async(bridge->daemon, NULL, question, on_properties, bridge, 0) >= 0;
}

static int on_changed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;

	(void)message;
	(void)error;
	sd_bus_emit_signal(bridge->bus, BUS_PATH, BRIDGE_NAME, "Reloaded", NULL);
	ask_properties(bridge);
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

/* Connects. When the daemon ends, all that it kept for callers ends, and so does the bridge. */
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

	if (r == 0 && !*bridge->properties[PROPERTY_VERSION] && !bridge->is_asking)
		ask_properties(bridge);
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
	static const char *const none[N_PROPERTIES];

	take_properties(bridge, none);
	if (open_link(bridge) < 0)
		return sd_event_add_time_relative(bridge->event, NULL, CLOCK_MONOTONIC, ALONE_US, 0, on_alone, bridge);
	/* A daemon that is stopped accepts nobody. */
	ask_properties(bridge);
	bus_process_while(bridge->daemon, &bridge->is_asking, BEGIN_US);
	return 0;
}

void link_end(struct bridge *bridge)
{
	sd_bus_close_unref(bridge->daemon);
	for (size_t i = 0; i < N_PROPERTIES; i++)
		free(bridge->properties[i]);
}
