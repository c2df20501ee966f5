/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_setattr and sched_getattr under names of our own: older C libraries lack them, and newer ones declare them
 * under the kernel's names.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* struct sched_attr of include/uapi/linux/sched/types.h, with util clamp (since 5.3). */
struct ksched_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
	uint32_t util_min;
	uint32_t util_max;
};
_Static_assert(sizeof(struct ksched_attr) == 56, "SCHED_ATTR_SIZE_VER1");

#define KSCHED_FLAG_RESET_ON_FORK 0x01
#define KSCHED_FLAG_KEEP_POLICY 0x08 /* since 5.3: the policy and reset-on-fork stay as they are */
#define KSCHED_FLAG_KEEP_ALL 0x18    /* the same of nice value, priority and slice as well */
#define KSCHED_FLAG_UTIL_CLAMP_MIN 0x20
#define KSCHED_FLAG_UTIL_CLAMP_MAX 0x40

/* As a clamp's value: resets it to the default (since 5.11). */
#define KSCHED_UTIL_RESET UINT32_MAX

/* tid 0 is the caller. Return 0 or -errno: -ESRCH for a task that is gone. size is filled in by both. */
int ksched_get(pid_t tid, struct ksched_attr *ret);
int ksched_set(pid_t tid, struct ksched_attr *attr);

/*
 * Reads the nice value, and sets it alone if it is still `from`. With getpriority and setpriority this works for a task
 * that is not fair, too, where it has no effect until the task is fair again (set_user_nice in syscalls.c), and where
 * sched_getattr does not show it. 0 or -errno.
 */
int ksched_get_nice(pid_t tid, int *ret);
int ksched_replace_nice(pid_t tid, int from, int to);

/*
 * Probes what the kernel supports, whatever the policy and privilege of the calling thread, of which it resets the
 * upper clamp: a custom slice on fair tasks (since 6.12) and util clamp (CONFIG_UCLAMP_TASK: without it, a call that
 * asks for one fails as a whole). Returns 0 or -errno.
 */
struct ksched_features {
	bool slice;
	bool util_clamp;
};
int ksched_probe(struct ksched_features *ret);

/* ---- I/O priorities ---- */

/*
 * ioprio_get and ioprio_set, for which the C library has no wrappers. Values are the kernel's (include/uapi/linux/
 * ioprio.h): the class in the bits from 13 on, a hint in those from 3 on (since 6.5), the level in the lowest three.
 *
 * What holds of them (6.18; block/ioprio.c, and as said):
 *	- Each thread has its own, unless CLONE_IO has it share its parent's, which pthread_create does not ask for.
 *	- fork and clone copy what was set (copy_io in kernel/fork.c), even with reset-on-fork; exec keeps it.
 *	  Where none was set, or class none, the child has none.
 *	- Where none was set, 0 is read; the kernel then goes by nice and policy whenever I/O is submitted. Before
 *	  6.0 it was class none with some level, which here is 0, too.
 *	- Setting class none is the way back: 0 is read again, and nothing is copied by a fork.
 *	- Anybody may set any of best-effort, idle and none for tasks of his own; only real time takes CAP_SYS_ADMIN or
 *	  CAP_SYS_NICE, and so do tasks of others.
 */

#define KIO_CLASS_SHIFT 13

/* IOPRIO_WHO_PROCESS: the one thread, in spite of its name. */
#define KIO_WHO_THREAD 1

/* tid 0 is the caller. The value, or -errno: -ESRCH for a task that is gone, -ENOSYS without CONFIG_BLOCK. */
int kio_priority_get(pid_t tid);

/* 0 or -errno. */
int kio_priority_set(pid_t tid, int value);
