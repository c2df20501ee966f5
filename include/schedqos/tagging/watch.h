/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watchdog for the loop's reads of /proc/PID, which may hang: see reader.h. A thread sleeps until the loop has been
 * in the same read for WATCH_MS, and then replaces the loop. A program has one loop, and one watch.
 */
#pragma once

#include <sys/types.h>

#define WATCH_MS 80

/*
 * Starts watching the calling thread. replace is called at most once, in the watching thread: by then the loop's
 * thread may be stuck for ever, and if it does wake up it does nothing more. Returns 0 or -errno.
 */
int watch_start(void (*replace)(void *context), void *context);

/* Stops watching. In a child forked by replace it only resets its state. */
void watch_stop(void);

/* The process that the loop is reading, or has read last. */
pid_t watch_process(void);

/*
 * Call these right before and after the system calls that read a process: in a loop that has been replaced meanwhile,
 * watch_leave does not return. They do not nest. Without a watch they do nothing.
 */
void watch_enter(pid_t tgid);
void watch_leave(void);
