/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's properties as JSON. */
#pragma once

#include <cjson/cJSON.h>
#include <systemd/sd-bus.h>

/* All properties in the answer to GetAll as one object, to be freed with cJSON_Delete. 0 or -errno.
 */
int status_json(sd_bus_message *reply, cJSON **ret);
