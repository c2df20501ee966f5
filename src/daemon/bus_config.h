/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of the control interface about the configuration in force. */
#pragma once

#include <systemd/sd-bus.h>

struct daemon;

/* Adds its properties to the connection's object. Returns a negative errno on failure. */
int bus_config_add(sd_bus *bus, struct daemon *daemon);

/* The method GetConfig. userdata: the struct daemon. */
int bus_get_config(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* Paths and names from files may hold invalid UTF-8, which D-Bus refuses, or terminal escape sequences. */
int bus_append_escaped(sd_bus_message *reply, const char *string);
