/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wrappers for sched_setattr and sched_getattr under names of our own: older C libraries lack them, and newer ones
 * declare them under the kernel's names. Also wrappers for I/O priorities.
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
#define KSCHED_FLAG_KEEP_POLICY	   0x08 /* since 5.3: keeps policy and reset-on-fork */
#define KSCHED_FLAG_KEEP_ALL	   0x18 /* also keeps nice value, priority and slice */
#define KSCHED_FLAG_UTIL_CLAMP_MIN 0x20
#define KSCHED_FLAG_UTIL_CLAMP_MAX 0x40

/* Value of a clamp that resets it to the default (since 5.11). */
#define KSCHED_UTIL_RESET UINT32_MAX

/*
 * Read and set the attributes of a task; tid 0 is the caller. Return 0 or -errno: -ESRCH if the task is gone. Both fill
 * in size.
 */
int ksched_get(pid_t tid, struct ksched_attr *ret);
int ksched_set(pid_t tid, struct ksched_attr *attr);

/*
 * Reads the nice value, and writes it if it is still `from`. getpriority and setpriority also work for a task that is
 * not fair: its nice value takes effect once the task is fair again (set_user_nice in syscalls.c), and sched_getattr
 * does not show it. Return 0 or -errno.
 */
int ksched_get_nice(pid_t tid, int *ret);
int ksched_replace_nice(pid_t tid, int from, int to);

/*
 * Finds out whether the kernel supports a custom slice for fair tasks (since 6.12) and util clamp. Without
 * CONFIG_UCLAMP_TASK a call that asks for a clamp fails as a whole. Works under any policy and privilege of the calling
 * thread; resets that thread's upper clamp. Returns 0 or -errno.
 */
struct ksched_features {
	bool slice;
	bool util_clamp;
};
int ksched_probe(struct ksched_features *ret);

/* ---- I/O priorities ---- */

/*
 * Wrappers for ioprio_get and ioprio_set, which the C library lacks. Values are the kernel's
 * (include/uapi/linux/ioprio.h): the class in the bits from 13 on, a hint in the bits from 3 on (since 6.5), the level
 * in the lowest three bits.
 *
 * Facts (6.18; block/ioprio.c unless another file is named):
 *	- Each thread has its own I/O priority, unless CLONE_IO shares it with its parent. pthread_create does not
 *	  share.
 *	- fork and clone copy a priority that was set (copy_io in kernel/fork.c), even with reset-on-fork; exec keeps
 *	  it. If none was set, or class none, the child has none.
 *	- If none was set, 0 is read; the kernel then derives a priority from nice and policy at each submission.
 *	  Before 6.0 it returned class none with some level; kio_priority_get returns 0 for that, too.
 *	- Setting class none removes the priority: 0 is read again, and fork copies nothing.
 *	- Any user may set best-effort, idle and none for the user's own tasks. Real time, and tasks of others, need
 *	  CAP_SYS_ADMIN or CAP_SYS_NICE.
 */

#define KIO_CLASS_SHIFT 13

/* IOPRIO_WHO_PROCESS: one thread, in spite of its name. */
#define KIO_WHO_THREAD 1

/*
 * Returns the I/O priority of a task; tid 0 is the caller. Or -errno: -ESRCH if the task is gone, -ENOSYS without
 * CONFIG_BLOCK.
 */
int kio_priority_get(pid_t tid);

/* Sets the I/O priority of a task. Returns 0 or -errno. */
int kio_priority_set(pid_t tid, int value);
