/* SPDX-License-Identifier: GPL-2.0-only */
/* Goes to the background, while the caller waits until the daemon is ready or has failed. */
#pragma once

#include <stdbool.h>

/*
 * Forks. Returns 0 in the child, with a descriptor for detach_done in *ret_ready; 1 in the caller, with the child's
 * exit status (0: it is ready and goes on running) in *ret_status; or -errno.
 */
int detach(int *ret_ready, int *ret_status);

/*
 * Sends the exit status to the waiting caller; with 0, also releases the standard streams, but for standard error where
 * it is kept, and the working directory.
 */
void detach_done(int ready, int status, bool keep_stderr);
