/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/sched_attr.h>

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A slice that is not in use: neither a kernel's base slice nor in any mapping. */
#define PROBE_SLICE_NS 7123456

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

int ksched_probe(struct ksched_features *ret)
{
	struct ksched_attr before, attr;
	int r;

	r = ksched_get(0, &before);
	if (r < 0)
		return r;

	/* Writing the present clamp back changes nothing where clamps are supported. */
	attr = before;
	attr.runtime = 0;
	attr.flags |= KSCHED_FLAG_UTIL_CLAMP_MAX;
	attr.util_max = KSCHED_UTIL_RESET;
	ret->util_clamp = ksched_set(0, &attr) == 0;

	/* Only these have slices, and we may have been started with another policy. */
	attr = (struct ksched_attr){ .policy = SCHED_OTHER, .flags = before.flags, .nice = before.nice };
	attr.runtime = PROBE_SLICE_NS;
	r = ksched_set(0, &attr);
	if (r == 0)
		r = ksched_get(0, &attr);
	if (r < 0)
		return r;
	ret->slice = attr.runtime == PROBE_SLICE_NS;

	attr = before;
	attr.runtime = 0;
	return ksched_set(0, &attr);
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
