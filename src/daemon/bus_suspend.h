/* SPDX-License-Identifier: GPL-2.0-only */
/* Tagging suspended for a client, for as long as its connection lasts. */
#pragma once

#include <systemd/sd-bus.h>

struct daemon;

/* Adds Suspend and Resume to the connection's object. Returns a negative errno on failure. */
int bus_suspend_add(sd_bus *bus, struct daemon *daemon);

/* The client is about to be gone: resumes if it has suspended tagging. */
void bus_suspend_release(const sd_bus *bus, struct daemon *daemon);
