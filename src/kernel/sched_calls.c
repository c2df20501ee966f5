/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/trace.h>

#include <errno.h>
#include <stdio.h>

#include <schedqos/util/cleanup.h>

#include "tracefs.h"

int sched_calls_open(pid_t except, struct trace **ret)
{
	static const struct tracepoint points[] = {
		{ "syscalls/sys_exit_sched_setattr", { "ret" } },
		{ "syscalls/sys_exit_sched_setscheduler", { "ret" } },
		{ "syscalls/sys_exit_sched_setparam", { "ret" } },
		{ "syscalls/sys_exit_setpriority", { "ret" } },
		{ "syscalls/sys_exit_ioprio_set", { "ret" } },
	};
	_cleanup_close_ int tracefs = tracefs_open();
	char filter[32];

	snprintf(filter, sizeof(filter), "common_pid != %d", (int)except);
	return tracefs < 0 ? tracefs : trace_open(tracefs, points, array_size(points), filter, ret);
}

const char *sched_calls_fault(int error)
{
	if (error == ENOENT)
		return "this kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS), or is locked down";
	return trace_fault(error);
}
