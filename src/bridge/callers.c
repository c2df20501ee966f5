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

struct uid_answer {
	bool is_awaited;
	int error;
	uint32_t uid;
};

static int on_uid(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	struct uid_answer *answer = userdata;

	(void)error;
	answer->is_awaited = false;
	answer->error = sd_bus_message_is_method_error(reply, NULL) ? -sd_bus_message_get_errno(reply)
								     : sd_bus_message_read(reply, "u", &answer->uid);
	return 0;
}

/*
 * Asks the bus, which knows the uid from the connection; a process id might have been reused by now. Opens a new
 * connection for this question. On the bridge's own, the answer would come after all messages that users have queued
 * there, and any number of those would be read into memory first.
 */
static int ask_uid(const char *name, uint32_t *ret)
{
	struct uid_answer answer = { .is_awaited = true };
	_cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
	int r = bus_open_system(&bus);

	if (r >= 0)
		r = sd_bus_call_method_async(bus, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus",
					     "org.freedesktop.DBus", "GetConnectionUnixUser", on_uid, &answer, "s", name);
	if (r >= 0)
		r = bus_process_while(bus, &answer.is_awaited, ANSWER_US);
	*ret = answer.uid;
	return r < 0 ? r : answer.error;
}

int caller_get(struct bridge *bridge, sd_bus_message *message, struct caller **ret)
{
	const char *name = sd_bus_message_get_sender(message);
	uint32_t uid;
	int r;

	*ret = caller_find(bridge, name);
	if (*ret)
		return 0;
	r = ask_uid(name, &uid);
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

static int on_dropped(sd_bus_message *reply, void *userdata, sd_bus_error *error);

/* Has the daemon end the overrides and the like of the first caller in the list. */
static void drop_first(struct bridge *bridge)
{
	bridge->drop_asked_us = link_daemon_us(bridge);
	while (bridge->dropped &&
	       sd_bus_call_method_async(bridge->daemon, NULL, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Drop",
					on_dropped, bridge, "s", bridge->dropped->name) < 0)
		forget_caller(&bridge->dropped);
}

/* Charges the time to the caller's uid. */
static int on_dropped(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;

	(void)reply;
	(void)error;
	account_spend(&bridge->accounts, bridge->dropped->uid, clock_ns(CLOCK_MONOTONIC) / 1000,
		      link_worked_us(bridge, bridge->drop_asked_us));
	forget_caller(&bridge->dropped);
	drop_first(bridge);
	return 0;
}

/*
 * Puts a caller that is gone into the list of those to drop. The daemon is asked about one at a time, because it
 * disconnects a client with many answers to read, and a user may have programs by the dozen end at once.
 */
static void drop_later(struct bridge *bridge, struct caller *caller)
{
	struct caller **last = &bridge->dropped;

	while (*last)
		last = &(*last)->next;
	*last = caller;
	caller->next = NULL;
	if (bridge->dropped == caller)
		drop_first(bridge);
}

/* Called when any name on the bus loses its owner. */
static int on_gone(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bridge *bridge = userdata;
	struct caller **at = &bridge->callers, *caller;
	const char *name;

	(void)error;
	if (sd_bus_message_read(message, "s", &name) < 0)
		return 0;
	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	caller = *at;
	if (!caller)
		return 0;
	if (!caller->holds) {
		forget_caller(at);
		return 0;
	}
	*at = caller->next;
	drop_later(bridge, caller);
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
	while (bridge->dropped)
		forget_caller(&bridge->dropped);
}
