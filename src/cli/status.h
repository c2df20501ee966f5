/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's status, as one reply. Reading what an older daemon lacks gives 0 or "". */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

/* The sum of a dictionary's numbers, and how many there are; NULL: does not matter. */
uint64_t status_sum(sd_bus_message *reply, const char *property, uint64_t *ret_entries);

/* All of them as one JSON object, for the caller to free. 0 or -errno. */
int status_json(sd_bus_message *reply, char **ret);

/*
 * As OpenMetrics, which node_exporter's textfile collector takes as well. reply: NULL if no daemon runs, which is all
 * that is said then.
 */
void status_metrics(FILE *out, sd_bus_message *reply);
