/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of the status about what is heard by tracepoints, and what came of it. */
#pragma once

#include <systemd/sd-bus.h>

struct daemon;

/* Adds its properties to the connection's object. Returns a negative errno on failure. */
int bus_heard_add(sd_bus *bus, struct daemon *daemon);
