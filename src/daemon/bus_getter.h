/* SPDX-License-Identifier: GPL-2.0-only */
/* How a property of the D-Bus object is read (sd_bus_property_get_t). */
#pragma once

#include <systemd/sd-bus.h>

#define GETTER(name)                                                                               \
	static int name(sd_bus *bus, const char *path, const char *interface,                      \
			const char *property, sd_bus_message *reply, void *userdata,               \
			sd_bus_error *error)

#define UNUSED_GETTER_ARGUMENTS                                                                    \
	(void)bus, (void)path, (void)interface, (void)property, (void)error
