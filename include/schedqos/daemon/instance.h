/* SPDX-License-Identifier: GPL-2.0-only */
/* At most one daemon runs on a machine, or one verb that does a daemon's work without one. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Makes the runtime folder and takes the lock in it, which lasts as long as the process. Waits up to 8 s for a verb
 * that has it. Returns 0, or -errno once it has logged why not: -EEXIST if a daemon has it, -EBUSY if a verb still has.
 * remedy: what to do where a daemon has it, or NULL.
 */
int instance_lock(bool as_daemon, const char *remedy);

/* The pid of the daemon that runs, 0 when none does, or -errno. */
pid_t instance_owner(void);
