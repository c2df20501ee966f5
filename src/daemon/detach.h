/* SPDX-License-Identifier: GPL-2.0-only */
/* Going to the background, with the caller waiting until the daemon is ready or has failed. */
#pragma once

/*
 * Forks. In the child *ret_ready is a descriptor for detach_done and 0 is returned; in the caller 1 is returned,
 * with the child's exit status (0: it is ready and runs on) in *ret_status. -errno when it cannot fork.
 */
int detach(int *ret_ready, int *ret_status);

/* Tells the waiting caller the exit status; with 0, also lets go of the terminal and the working folder. */
void detach_done(int ready, int status);
