/* SPDX-License-Identifier: GPL-2.0-only */
/* What is asked for at run time over the rules, as D-Bus methods: `schedqos limit`, `set`, `reset` and `run`. */
#pragma once

#include <systemd/sd-bus.h>

struct daemon;

/* Adds the methods to the connection's object. Returns a negative errno on failure. */
int bus_overrides_add(sd_bus *bus, struct daemon *daemon);
