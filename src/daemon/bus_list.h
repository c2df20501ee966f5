/* SPDX-License-Identifier: GPL-2.0-only */
/* Every task and what became of it, and the classes that there are, for clients. */
#pragma once

#include <systemd/sd-bus.h>

struct daemon;

/* Adds ListTasks and ListClasses to the connection's object. Returns a negative errno on failure.
 */
int bus_list_add(sd_bus *bus, struct daemon *daemon);
