/* SPDX-License-Identifier: GPL-2.0-only */
/* Knows the programs that call the bridge, by their names on the bus, and tells the daemon when one disconnects. */
#include "bridge_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

/* Time that all callers wait for the bus to identify a new one. */
#define ANSWER_US 1000000

struct caller *caller_find(const struct bridge *bridge, const char *name)
{
	struct caller *caller = bridge->callers;

	while (caller && strcmp(caller->name, name) != 0)
		caller = caller->next;
	return caller;
}

/*
 * Asks the bus, which knows the uid from the connection; a process id might have been reused by now. dbus-daemon
 * answers at once, or drops its answer if somebody has filled our queue there with file descriptors.
 */
static int ask_uid(sd_bus *bus, const char *name, uint32_t *ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *question = NULL, *answer = NULL;
	int r = sd_bus_message_new_method_call(bus, &question, "org.freedesktop.DBus", "/org/freedesktop/DBus",
					       "org.freedesktop.DBus", "GetConnectionUnixUser");

	if (r >= 0)
		r = sd_bus_message_append(question, "s", name);
	if (r >= 0)
		r = sd_bus_call(bus, question, ANSWER_US, NULL, &answer);
	return r < 0 ? r : sd_bus_message_read(answer, "u", ret);
}

int caller_get(struct bridge *bridge, sd_bus_message *message, struct caller **ret)
{
	const char *name = sd_bus_message_get_sender(message);
	uint32_t uid;
	int r;

	*ret = caller_find(bridge, name);
	if (*ret)
		return 0;
	r = ask_uid(bridge->bus, name, &uid);
	if (r < 0)
		return r;
	*ret = calloc(1, sizeof(**ret) + strlen(name) + 1);
	if (!*ret)
		return -ENOMEM;
	**ret = (struct caller){ .next = bridge->callers, .uid = uid };
	strcpy((*ret)->name, name);
	bridge->callers = *ret;
	return 0;
}

unsigned callers_holding(const struct bridge *bridge, uid_t uid)
{
	unsigned count = 0;

	for (const struct caller *caller = bridge->callers; caller; caller = caller->next)
		count += caller->holds && caller->uid == uid;
	return count;
}

static void forget_caller(struct caller **at)
{
	struct caller *caller = *at;

	*at = caller->next;
	free(caller);
}

/* A question to the daemon that belongs to no call. */
struct drop {
	struct bridge *bridge;
	uid_t uid;
	uint64_t asked_us;
};

static int on_dropped(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const struct drop *drop = userdata;

	(void)reply;
	(void)error;
	account_spend(&drop->bridge->accounts, drop->uid, clock_ns(CLOCK_MONOTONIC) / 1000,
		      link_worked_us(drop->bridge, drop->asked_us));
	return 0;
}

/* Has the daemon end the overrides and the like of the caller. Charges the time this takes to the caller's uid. */
static void drop_held(struct bridge *bridge, const struct caller *caller)
{
	sd_bus_slot *slot = NULL;
	struct drop *drop = malloc(sizeof(*drop));

	if (drop)
		*drop = (struct drop){ bridge, caller->uid, link_daemon_us(bridge) };
	if (sd_bus_call_method_async(bridge->daemon, &slot, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Drop",
				     drop ? on_dropped : NULL, drop, "s", caller->name) < 0 ||
	    !slot) {
		free(drop);
		return;
	}
	sd_bus_slot_set_destroy_callback(slot, free);
	sd_bus_slot_set_floating(slot, 1);
	sd_bus_slot_unref(slot);
}

/* Called when any name on the bus loses its owner. */
static int on_gone(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;
	const char *name;

	(void)error;
	if (sd_bus_message_read(message, "s", &name) < 0)
		return 0;
	for (struct caller **at = &bridge->callers; *at; at = &(*at)->next) {
		if (strcmp((*at)->name, name) != 0)
			continue;
		if ((*at)->holds)
			drop_held(bridge, *at);
		forget_caller(at);
		break;
	}
	return 0;
}

/* Uses one match for all callers, because the bus allows a connection only 512. */
int callers_follow(struct bridge *bridge)
{
	return sd_bus_add_match(bridge->bus, NULL, BUS_NAME_OWNER_CHANGED ",arg2=''", on_gone, bridge);
}

void callers_free(struct bridge *bridge)
{
	while (bridge->callers)
		forget_caller(&bridge->callers);
}
