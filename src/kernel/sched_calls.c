/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/sched_calls.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <schedqos/kernel/io_priority.h>
#include <schedqos/util/cleanup.h>

/* Whose first argument is a task; then those that say first what their second is; then the ends. */
static const struct tracepoint points[] = {
	{ "syscalls/sys_enter_sched_setattr", { "pid" }, true },
	{ "syscalls/sys_enter_sched_setscheduler", { "pid" }, true },
	{ "syscalls/sys_enter_sched_setparam", { "pid" }, true },
	{ "syscalls/sys_enter_setpriority", { "which", "who" }, true },
	{ "syscalls/sys_enter_ioprio_set", { "which", "who" }, true },
	{ "syscalls/sys_exit_sched_setattr", { "ret" }, false },
	{ "syscalls/sys_exit_sched_setscheduler", { "ret" }, false },
	{ "syscalls/sys_exit_sched_setparam", { "ret" }, false },
	{ "syscalls/sys_exit_setpriority", { "ret" }, false },
	{ "syscalls/sys_exit_ioprio_set", { "ret" }, false },
};
enum { SETPRIORITY = 3, IOPRIO_SET = 4, FIRST_END = 5 };

/* Any number of tasks, which is no task's id. */
#define MANY INT_MIN

int sched_calls_open(pid_t except, struct trace **ret)
{
	_cleanup_close_ int tracefs = tracefs_open();
	char filter[32];

	snprintf(filter, sizeof(filter), "common_pid != %d", (int)except);
	return tracefs < 0 ? tracefs : trace_open(tracefs, points, array_size(points), filter, ret);
}

/* The registers hold more than an int; the kernel takes the lower half. */
static pid_t meant(const struct trace_event *event)
{
	const int first = (int)event->fields[0], second = (int)event->fields[1];
	int task = first;

	if (event->point == SETPRIORITY)
		task = first == PRIO_PROCESS ? second : MANY;
	else if (event->point == IOPRIO_SET)
		task = first == KIO_WHO_THREAD ? second : MANY;
	return task ? task : event->tid;
}

bool sched_calls_pair(struct sched_calls *calls, const struct trace_event *event, struct sched_call *ret)
{
	struct sched_call_begun *begun = &calls->begun[(unsigned)event->tid % SCHED_CALLS_MAX];
	const int64_t result = event->fields[0];

	*ret = (struct sched_call){ .caller = event->tid, .ns = event->ns };
	if (event->point < FIRST_END) {
		*begun = (struct sched_call_begun){ event->tid, meant(event) };
		ret->task = begun->task;
		return begun->task != MANY;
	}
	ret->has_ended = true;
	if (begun->caller == event->tid) {
		ret->task = begun->task;
		*begun = (struct sched_call_begun){ 0 };
	}
	/* Before any other error it may have changed some. */
	if (ret->task == MANY)
		ret->task = result == -EINVAL || result == -ESRCH ? SCHED_CALL_NOBODY : 0;
	return true;
}

const char *sched_calls_fault(int error)
{
	if (error == ENOENT)
		return "this kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS), or is locked down";
	return trace_fault(error);
}
