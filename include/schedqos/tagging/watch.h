/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches over the loop's looks at processes, which may hang: see reader.h. A thread sleeps until the loop has been
 * in the same look for WATCH_MS, and then puts something else in the loop's place. There is one loop in a program,
 * and one watch.
 */
#pragma once

#include <sys/types.h>

#define WATCH_MS 80

/*
 * Begins to watch the thread that calls it. replace is called in the watching thread, once: the loop's thread may be
 * stuck for ever, and will do nothing any more if it is not. Returns 0 or -errno.
 */
int watch_start(void (*replace)(void *context), void *context);

/* Ends the watching. In a child that was forked by replace it only forgets. */
void watch_stop(void);

/* Whom the loop looks at, or looked at last. */
pid_t watch_whom(void);

/*
 * The loop looks at a process, and has done so: right around the system calls, since a loop that was replaced in
 * between does not return from watch_leave. Not to be nested. Without a watch they do nothing.
 */
void watch_enter(pid_t tgid);
void watch_leave(void);

/* To be called when no more looks are to be expected soon: saves the watching thread from waking up. */
void watch_rest(void);
