/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's state as D-Bus properties; `schedqos status` shows them all. */
#pragma once

#include <systemd/sd-bus.h>

struct daemon;

/* Adds the properties to the connection's object. Returns a negative errno on failure. */
int bus_status_add(sd_bus *bus, struct daemon *daemon);

/* Appends the refusals of the last sched profile, a string each. Returns a negative errno on failure. */
int bus_append_refusals(sd_bus_message *reply, const struct daemon *daemon);
