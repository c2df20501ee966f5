/* SPDX-License-Identifier: GPL-2.0-only */
/* Ensures that at most one daemon runs on a machine, or one verb that does a daemon's work without it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Makes the runtime folder and takes the lock in it, which is held until the process ends. Waits up to 8 s for a verb
 * that holds it. Returns 0, or logs the error and returns -errno: -EEXIST if a daemon holds it, -EBUSY if a verb
 * still does. remedy: what the log should suggest if a daemon holds it, or NULL.
 */
int instance_lock(bool as_daemon, const char *remedy);

/* The pid of the running daemon, 0 if there is none, or -errno. */
pid_t instance_owner(void);
