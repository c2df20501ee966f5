/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals on a bus, and who has sent them. */
#pragma once

#include <systemd/sd-bus.h>

/* The beginning of a match of what the bus says when a name changes hands: of arg0, from arg1, to arg2. */
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
 * Of what is sent to all the bus lets through to us what those have sent whom our matches name. What is sent to us
 * alone it lets through from anybody, and the library, which does not know who has a name, takes it for theirs. 0 or
 * -errno.
 */
static inline int hear_broadcasts_only(sd_bus *bus)
{
	return sd_bus_add_filter(bus, NULL, ignore_signal_to_us, NULL);
}
