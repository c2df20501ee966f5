/* SPDX-License-Identifier: GPL-2.0-only */
/* What the control interface tells of the configuration in force. userdata is a struct daemon. */
#pragma once

#include <systemd/sd-bus.h>

/* A function that gives a property. */
#define BUS_GETTER(name)                                                                               \
	int name(sd_bus *bus, const char *path, const char *interface,                      \
			const char *property, sd_bus_message *reply, void *userdata,               \
			sd_bus_error *error)

#define BUS_UNUSED_GETTER_ARGUMENTS                                                                    \
	(void)bus, (void)path, (void)interface, (void)property, (void)error

BUS_GETTER(get_config_files);
BUS_GETTER(get_config_file);
BUS_GETTER(get_config_folder);
BUS_GETTER(get_pending_users);
BUS_GETTER(get_rules);
BUS_GETTER(get_reload_error);
BUS_GETTER(get_mapping);

/* The method GetConfig. */
int bus_get_config(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* Paths and names from files may hold invalid UTF-8, which D-Bus refuses, or terminal escape sequences. */
int bus_append_escaped(sd_bus_message *reply, const char *string);
