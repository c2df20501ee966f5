/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/sched_attr.h>

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

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
