/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's properties (see status_reply.h) in two forms. */
#pragma once

#include <stdio.h>

#include <systemd/sd-bus.h>

/* For people: whether all is well in the first line, then the rest. */
void status_print(FILE *out, sd_bus_message *reply);

/*
 * As OpenMetrics, which node_exporter's textfile collector takes as well. reply: NULL if no daemon
 * runs, which is all that is said then.
 */
void status_metrics(FILE *out, sd_bus_message *reply);
