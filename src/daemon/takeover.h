/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the loop hangs, a forked child takes over as after a crash. The parent, whose loop may not even be killable,
 * stays behind as the process that somebody started and waits for: it forwards signals to the child, and exits with
 * its status.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct daemon;

/*
 * Runs a new daemon in place of one that hangs. hung: the process whose files it was reading; cause: the same as text;
 * stop: it had been told to stop. Returns an exit status.
 */
typedef int takeover_t(struct daemon *before, pid_t hung, const char *cause, bool stop);

/* Starts a watch that calls function in a child when the calling thread hangs (watch.h). Returns 0 or -errno. */
int takeover_prepare(struct daemon *daemon, takeover_t *function);
