/* SPDX-License-Identifier: GPL-2.0-only */
/* Talking to the daemon over its control interface. */
#pragma once

#include <systemd/sd-bus.h>

/* Connects, or says why not (not running, not allowed) and returns a negative errno. */
int client_open(sd_bus **ret);
