/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's properties, as one reply to GetAll. Reading a property that an older daemon lacks
 * gives 0 or "". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

/* Asks for all. The caller unreferences the reply; NULL after logging what went wrong. */
sd_bus_message *status_read(sd_bus *bus);

/* Moves to a property's value, an array's first item, for the next read. False if there is no such
 * property. */
bool status_seek(sd_bus_message *reply, const char *property, const char *type);

uint64_t status_count(sd_bus_message *reply, const char *property);
const char *status_text(sd_bus_message *reply,
			const char *property); /* lives as long as the reply */
bool status_flag(sd_bus_message *reply, const char *property);

/* The sum of a dictionary's numbers, and how many there are. */
uint64_t status_sum(sd_bus_message *reply, const char *property, uint64_t *ret_entries);
