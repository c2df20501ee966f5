/* SPDX-License-Identifier: GPL-2.0-only */
/* Talking to the daemon over its control interface. */
#pragma once

#include <systemd/sd-bus.h>

/* Connects. Returns 0, or -errno after logging why it failed (not running, not allowed). */
int client_open(sd_bus **ret);

/* The same, but logs nothing. -ENOENT and -ECONNREFUSED: no daemon runs; -EACCES and -EPERM: not
 * allowed. */
int client_try(sd_bus **ret);

/* What such an error means, in words; NULL for another one. */
const char *client_fault(int error);
