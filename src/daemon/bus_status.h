/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's state as D-Bus properties, all of which `schedqos status` shows. */
#pragma once

#include <systemd/sd-bus.h>

struct daemon;

/* Adds the properties to the connection's object. Returns a negative errno on failure. */
int bus_status_add(sd_bus *bus, struct daemon *daemon);

/* Appends an array of strings: the knobs of the last sched profile that were refused. Negative errno on failure. */
int bus_append_refusals(sd_bus_message *reply, const struct daemon *daemon);
