/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the bridge: takes its names on the system bus and serves until it should end. */
#include <schedqos/bridge/bridge.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/bus.h>
#include <schedqos/util/cleanup.h>

#include "bridge_private.h"

static int open_bridge_bus(struct bridge *bridge)
{
	int r = bus_open_system(&bridge->bus);

	if (r >= 0)
		r = sd_bus_set_close_on_exit(bridge->bus, 0);
	if (r >= 0)
		r = sd_bus_set_exit_on_disconnect(bridge->bus, 1);
	if (r < 0)
		log_error("cannot connect to the system bus: %s", strerror(-r));
	return r;
}

static int take_name(struct bridge *bridge, const char *name)
{
	int r = sd_bus_request_name(bridge->bus, name, 0);

	if (r < 0)
		log_error("cannot take the name %s on the system bus: %s", name,
			  r == -EEXIST || r == -EALREADY ? "another service has it" : strerror(-r));
	return r;
}

/* Sets everything up and takes the name last, so that a client which sees the name can use all of it. */
static int bridge_start(struct bridge *bridge, bool is_system76)
{
	int r = sd_event_default(&bridge->event);

	if (r >= 0)
		r = sd_event_set_signal_exit(bridge->event, 1);
	if (r >= 0)
		r = open_bridge_bus(bridge);
	if (r >= 0)
		r = callers_follow(bridge);
	if (r >= 0)
		r = calls_charge(bridge);
	if (r >= 0)
		r = calls_follow_polkit(bridge);
	if (r >= 0)
		r = methods_offer(bridge);
	if (r >= 0)
		r = link_begin(bridge);
	if (r >= 0)
		r = sd_bus_attach_event(bridge->bus, bridge->event, SD_EVENT_PRIORITY_NORMAL);
	/* Go on without this name if another service owns it. */
	if (r >= 0 && is_system76)
		take_name(bridge, SYSTEM76_NAME);
	return r < 0 ? r : take_name(bridge, BRIDGE_NAME);
}

static void bridge_clear(struct bridge *bridge)
{
	while (bridge->calls)
		call_end(bridge->calls);
	callers_free(bridge);
	accounts_free(&bridge->accounts);
	link_end(bridge);
	sd_bus_flush_close_unref(bridge->bus);
	sd_event_unref(bridge->event);
}

int bridge_run(bool is_system76)
{
	struct bridge bridge = { .accounts.is_at_seat = host_has_seat };
	int r = bridge_start(&bridge, is_system76);

	if (r >= 0)
		r = sd_event_loop(bridge.event);
	if (r > 0)
		log_notice("the %s has ended, and so does the bridge",
			   sd_bus_is_open(bridge.bus) > 0 ? "daemon" : "system bus");
	bridge_clear(&bridge);
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
