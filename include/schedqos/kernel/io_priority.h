/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioprio_get and ioprio_set, for which the C library has no wrappers. Values are the kernel's (include/uapi/linux/
 * ioprio.h): the class in the bits from 13 on, a hint in those from 3 on (since 6.5), the level in the lowest three.
 *
 * What holds of them (6.18; block/ioprio.c, and as said):
 *	- Each thread has its own, unless CLONE_IO has it share its parent's, which pthread_create does not ask for.
 *	- fork and clone copy what was set (copy_io in kernel/fork.c), even with reset-on-fork; exec keeps it. Where none
 *	  was set, or class none, the child has none.
 *	- Where none was set, 0 is read; the kernel then goes by nice and policy whenever I/O is submitted. Before 6.0 it
 *	  was class none with some level, which here is 0, too.
 *	- Setting class none is the way back: 0 is read again, and nothing is copied by a fork.
 *	- Anybody may set any of best-effort, idle and none for tasks of his own; only real time takes CAP_SYS_ADMIN or
 *	  CAP_SYS_NICE, and so do tasks of others.
 */
#pragma once

#include <sys/types.h>

#define KIO_CLASS_SHIFT 13

/* IOPRIO_WHO_PROCESS: the one thread, in spite of its name. */
#define KIO_WHO_THREAD 1

/* tid 0 is the caller. The value, or -errno: -ESRCH for a task that is gone, -ENOSYS without CONFIG_BLOCK. */
int kio_priority_get(pid_t tid);

/* 0 or -errno. */
int kio_priority_set(pid_t tid, int value);
