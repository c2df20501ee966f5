/* SPDX-License-Identifier: GPL-2.0-only */
#include "bridge_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* Those of a uid: each takes a match on the bus, of which it grants a connection 512. */
#define HOLDERS_MAX 32

static void free_one(struct holder *holder)
{
	sd_bus_track_unref(holder->track);
	free(holder);
}

static int on_vanished(sd_bus_track *track, void *userdata)
{
	struct holder *holder = userdata;
	struct bridge *bridge = holder->bridge;

	(void)track;
	for (struct holder **at = &bridge->holders; *at; at = &(*at)->next) {
		if (*at != holder)
			continue;
		*at = holder->next;
		/* A daemon that has gone has forgotten all of them. */
		if (bridge->daemon)
			sd_bus_call_method_async(bridge->daemon, NULL, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "Drop", NULL, NULL, "s",
						 holder->name);
		free_one(holder);
		break;
	}
	bridge_may_leave(bridge);
	return 0;
}

struct holder *holder_find(const struct bridge *bridge, const char *name)
{
	struct holder *holder = bridge->holders;

	while (holder && strcmp(holder->name, name) != 0)
		holder = holder->next;
	return holder;
}

int holder_need(struct bridge *bridge, const char *name, uid_t uid)
{
	struct holder *holder;
	unsigned count = 0;
	int r;

	if (holder_find(bridge, name))
		return 0;
	for (holder = bridge->holders; holder; holder = holder->next)
		count += holder->uid == uid;
	if (count >= HOLDERS_MAX)
		return -EDQUOT;
	holder = calloc(1, sizeof(*holder) + strlen(name) + 1);
	if (!holder)
		return -ENOMEM;
	*holder = (struct holder){ .bridge = bridge, .uid = uid };
	strcpy(holder->name, name);
	r = sd_bus_track_new(bridge->bus, &holder->track, on_vanished, holder);
	if (r >= 0)
		r = sd_bus_track_add_name(holder->track, name);
	if (r < 0) {
		free_one(holder);
		return r == -ENXIO ? -ESRCH : r;
	}
	holder->next = bridge->holders;
	bridge->holders = holder;
	return 0;
}

void holders_free(struct bridge *bridge)
{
	while (bridge->holders) {
		struct holder *holder = bridge->holders;

		bridge->holders = holder->next;
		free_one(holder);
	}
}
