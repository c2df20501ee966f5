/* SPDX-License-Identifier: GPL-2.0-only */
/* Talking to the daemon over its control interface. */
#pragma once

#include <systemd/sd-bus.h>

/* Connects. Returns 0, or -errno after logging why it failed (not running, not allowed). */
int client_open(sd_bus **ret);
