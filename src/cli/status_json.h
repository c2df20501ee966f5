/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's properties as JSON. */
#pragma once

#include <systemd/sd-bus.h>

/* All properties in the answer to GetAll as one object, for the caller to free. 0 or -errno. */
int status_json(sd_bus_message *reply, char **ret);
