/* SPDX-License-Identifier: GPL-2.0-only */
#include "bus_heard.h"

#include <stdio.h>

#include <schedqos/daemon/bus_names.h>

#include "bus_getter.h"
#include "daemon_private.h"

GETTER(get_cgroup_moves)
{
	static const char *const names[] = {
		[MOVES_UNUSED] = "unused",
		[MOVES_HEARD] = "heard",
		[MOVES_POLLED] = "polled",
	};
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "s", names[tagger_moves(daemon->tagger)]);
}

GETTER(get_attribute_changes)
{
	static const char *const names[] = {
		[CHANGES_UNUSED] = "unused",
		[CHANGES_HEARD] = "heard",
		[CHANGES_UNHEARD] = "unheard",
	};
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "s", names[tagger_changes(daemon->tagger)]);
}

static int append_opponent(sd_bus_message *reply, const struct tagger_opponent *opponent)
{
	char name[96];

	snprintf(name, sizeof(name), "%s (%d)", opponent->name, (int)opponent->pid);
	return sd_bus_message_append(reply, "{st}", opponent->name[0] ? name : "not known", opponent->times);
}

GETTER(get_put_back_from)
{
	struct daemon *daemon = userdata;
	size_t count;
	const struct tagger_opponent *opponents = tagger_opponents(daemon->tagger, &count);
	int r = sd_bus_message_open_container(reply, 'a', "{st}");

	UNUSED_GETTER_ARGUMENTS;
	for (size_t i = 0; i < count && r >= 0; i++)
		r = append_opponent(reply, &opponents[i]);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* Of a struct daemon. */
static const sd_bus_vtable properties[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("CgroupMoves", "s", get_cgroup_moves, 0, 0),
	SD_BUS_PROPERTY("AttributeChanges", "s", get_attribute_changes, 0, 0),
	SD_BUS_PROPERTY("PutBackFrom", "a{st}", get_put_back_from, 0, 0),
	SD_BUS_VTABLE_END,
};

int bus_heard_add(sd_bus *bus, struct daemon *daemon)
{
	return sd_bus_add_object_vtable(bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE, properties, daemon);
}
