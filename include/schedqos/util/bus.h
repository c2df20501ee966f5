/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens connections to D-Bus's message buses on which no other user can deceive or block us. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

/*
 * The beginning of a match for the bus's signal that the owner of a name has changed. arg0 is the name, arg1 the old
 * owner, arg2 the new one.
 */
#define BUS_NAME_OWNER_CHANGED                                                            \
	"type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"       \
	"interface='org.freedesktop.DBus',member='NameOwnerChanged'"

/*
 * Connect to the system's or the user's bus as sd_bus_open_system and sd_bus_open_user do, with two differences.
 *
 * The bus delivers no message with file descriptors, because closing one may wait forever for the process that serves
 * its file system.
 *
 * Signals that are addressed to us are ignored. The bus delivers a broadcast only if its sender is the one that our
 * match names. But any user may address a signal to us, and sd-bus, which does not know the owners of names, would take
 * it for a signal of the named sender.
 *
 * Return 0 or -errno.
 */
int bus_open_system(sd_bus **ret);
int bus_open_user(sd_bus **ret);

/*
 * Processes messages until a handler clears *is_waiting, for this time in us at most. sd_bus_call would first wait, for
 * up to 90 s, for the other end to accept us. Returns 0, -ETIMEDOUT, or another -errno.
 */
int bus_process_while(sd_bus *bus, const bool *is_waiting, uint64_t us);
