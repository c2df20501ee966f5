/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections to D-Bus's message buses on which nobody can trick or stop us. */
#pragma once

#include <systemd/sd-bus.h>

/* The beginning of a match of what the bus says when a name changes hands: of arg0, from arg1, to arg2. */
#define BUS_NAME_OWNER_CHANGED                                                            \
	"type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"       \
	"interface='org.freedesktop.DBus',member='NameOwnerChanged'"

/*
 * Connect to the system's or the user's bus as sd_bus_open_system and sd_bus_open_user do, with two differences.
 *
 * The bus delivers no message with file descriptors: to close one may wait forever for whoever serves its file system.
 *
 * Signals to us alone are ignored. Of broadcasts, the bus delivers those of senders that our matches name; but anybody
 * may send a signal to us alone, and sd-bus, which does not know who owns a name, would take it for the named sender's.
 *
 * Return 0 or -errno.
 */
int bus_open_system(sd_bus **ret);
int bus_open_user(sd_bus **ret);
