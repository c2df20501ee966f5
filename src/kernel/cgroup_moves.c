/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/trace.h>

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#include "tracefs.h"

int cgroup_moves_open(struct trace **ret)
{
	static const struct tracepoint moved = { .name = "cgroup/cgroup_attach_task", .fields = { "pid" } };
	_cleanup_close_ int tracefs = tracefs_open();

	return tracefs < 0 ? tracefs : trace_open(tracefs, &moved, 1, NULL, ret);
}

const char *cgroup_moves_fault(int error)
{
	if (error == ENOENT)
		return "this kernel has no tracepoint cgroup:cgroup_attach_task, or is locked down";
	return trace_fault(error);
}
