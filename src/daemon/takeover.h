/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the loop hangs, the program goes on in a child, which takes over as after a crash. What is left of the parent,
 * which may not even be killable, stays the process that somebody started and waits for: it passes signals on, and
 * ends as the child ends.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct daemon;

/*
 * Goes on, as after a crash, in place of a daemon that hangs for good at a process, which cause names for people; stop:
 * it has been told to stop. Returns an exit status.
 */
typedef int takeover_t(struct daemon *before, pid_t hung, const char *cause, bool stop);

/* Has the watch take over when a look of the calling thread hangs. Returns 0 or -errno. */
int takeover_prepare(struct daemon *daemon, takeover_t *go_on);
