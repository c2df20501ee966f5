/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the system calls for scheduling attributes and I/O priorities. */
#include <schedqos/kernel/sched_attr.h>

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int ksched_get(pid_t tid, struct ksched_attr *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (syscall(SYS_sched_getattr, tid, ret, sizeof(*ret), 0) < 0)
		return -errno;
	return 0;
}

int ksched_set(pid_t tid, struct ksched_attr *attr)
{
	attr->size = sizeof(*attr);
	if (syscall(SYS_sched_setattr, tid, attr, 0) < 0)
		return -errno;
	return 0;
}

/*
 * A kernel that knows custom slices reports every fair task's slice, also under SCHED_IDLE (get_params in
 * kernel/sched/syscalls.c).
 */
int ksched_probe(struct ksched_features *ret)
{
	struct ksched_attr attr, clamp = {
		.flags = KSCHED_FLAG_KEEP_ALL | KSCHED_FLAG_UTIL_CLAMP_MAX,
		.util_max = KSCHED_UTIL_RESET,
	};
	int r = ksched_get(0, &attr);

	/* We may run as a real-time task, which has no slice: ask about init instead. */
	if (r == 0 && (attr.policy == SCHED_FIFO || attr.policy == SCHED_RR || attr.policy == SCHED_DEADLINE))
		r = ksched_get(1, &attr);
	if (r < 0)
		return r;
	ret->slice = attr.runtime != 0;
	ret->util_clamp = ksched_set(0, &clamp) == 0;
	return 0;
}

int ksched_get_nice(pid_t tid, int *ret)
{
	errno = 0;
	*ret = getpriority(PRIO_PROCESS, (id_t)tid);
	return -errno;
}

int ksched_replace_nice(pid_t tid, int from, int to)
{
	int now;
	int r = ksched_get_nice(tid, &now);

	if (r < 0)
		return r;
	if (now != from)
		return 0;
	return setpriority(PRIO_PROCESS, (id_t)tid, to) < 0 ? -errno : 0;
}

int kio_priority_get(pid_t tid)
{
	long value = syscall(SYS_ioprio_get, KIO_WHO_THREAD, tid);

	if (value < 0)
		return -errno;
	return value >> KIO_CLASS_SHIFT ? (int)value : 0;
}

int kio_priority_set(pid_t tid, int value)
{
	return syscall(SYS_ioprio_set, KIO_WHO_THREAD, tid, value) < 0 ? -errno : 0;
}
