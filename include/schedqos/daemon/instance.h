/* SPDX-License-Identifier: GPL-2.0-only */
/* At most one daemon runs on a machine. */
#pragma once

#include <sys/types.h>

/*
 * Makes the runtime folder and takes the lock in it, which lasts as long as the process. Returns 0, -EEXIST with
 * the pid of the daemon that has it in *ret_owner, or -errno.
 */
int instance_lock(pid_t *ret_owner);

/* The pid of the daemon that runs, 0 when none does, or -errno. */
pid_t instance_owner(void);
