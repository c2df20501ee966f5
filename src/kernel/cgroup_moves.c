/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/cgroup_moves.h>

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

int cgroup_moves_open(struct trace **ret)
{
	static const struct tracepoint moved = { "cgroup/cgroup_attach_task", { "pid" } };
	_cleanup_close_ int tracefs = tracefs_open();

	return tracefs < 0 ? tracefs : trace_open(tracefs, &moved, 1, ret);
}

const char *cgroup_moves_fault(int error)
{
	if (error == ENODEV)
		return "this kernel has no tracefs";
	if (error == ENOENT)
		return "this kernel has no tracepoint cgroup:cgroup_attach_task, or is locked down";
	if (error == EACCES || error == EPERM)
		return "tracefs is not mounted at /sys/kernel/tracing, or CAP_PERFMON is missing";
	return strerror(error);
}
