/* SPDX-License-Identifier: GPL-2.0-only */
/* Ensures that only one process on the machine works on tasks and knobs: the daemon, or a verb that does without it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Creates the runtime folder and takes the lock in it, which this process holds until it ends. Waits up to 8 s for a
 * verb that holds it. Returns 0; or logs the error and returns -errno: -EEXIST if a daemon holds the lock, -EBUSY if a
 * verb still does. remedy is what the log suggests if a daemon holds it, or NULL.
 */
int instance_lock(bool as_daemon, const char *remedy);

/* Returns the pid of the running daemon, 0 if there is none, or -errno. */
pid_t instance_owner(void);
