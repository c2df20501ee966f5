/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters for signals on a D-Bus bus. */
#pragma once

#include <systemd/sd-bus.h>

/* First part of a match for "a name changed hands". Add arg0 (the name), arg1 (old owner) or arg2 (new owner). */
#define BUS_NAME_OWNER_CHANGED                                                            \
	"type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"       \
	"interface='org.freedesktop.DBus',member='NameOwnerChanged'"

static inline int ignore_signal_to_us(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)userdata;
	(void)error;
	return sd_bus_message_is_signal(message, NULL, NULL) > 0 && sd_bus_message_get_destination(message);
}

/*
 * Ignores signals that are addressed to this connection alone; call it once for each bus connection.
 *
 * The bus delivers a broadcast only if one of our matches names its sender. It delivers a signal that is addressed to
 * us from any sender, and sd-bus, which does not know the owners of names, would then hand it to a handler that trusts
 * the sender. Returns 0 or -errno.
 */
static inline int hear_broadcasts_only(sd_bus *bus)
{
	return sd_bus_add_filter(bus, NULL, ignore_signal_to_us, NULL);
}
