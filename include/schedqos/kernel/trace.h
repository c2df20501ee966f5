/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, received as they are hit on any CPU: by perf_event_open, which needs CAP_PERFMON (CAP_SYS_ADMIN before
 * Linux 5.8). Nothing is written to tracefs.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A tracepoint was hit. */
struct trace_event {
	pid_t tid;     /* of the task that hit it, in the initial PID namespace */
	uint64_t ns;   /* CLOCK_MONOTONIC */
	int32_t value; /* of the field that is asked for */
};

struct trace;

void trace_close(struct trace *trace);

/* Readable when something has been hit. */
int trace_fd(const struct trace *trace);

/*
 * The next event of all CPUs by time, without waiting. Returns 1, 0 if there is none, or -ENOBUFS if the kernel has
 * dropped some since the call before.
 */
int trace_next(struct trace *trace, struct trace_event *ret);

/*
 * The functions below that subscribe return 0 or -errno: -ENOENT if this kernel has no such tracepoint; -EACCES or -EPERM
 * without the capability, or if something forbids perf_event_open; -ENOSYS if the kernel lacks it.
 */

/* In words, for people: errno is positive, the storage static, or as strerror's. */
const char *trace_fault(int error);

/* ---- calls that change what a task carries ---- */

/*
 * The system calls by which a program changes what a task carries: sched_setattr, sched_setscheduler, sched_setparam,
 * setpriority and ioprio_set, heard as they end, even if they fail. The event says who called, not for whom. Calls of
 * 32-bit programs on a 64-bit kernel are not told (trace_get_syscall_nr in trace_syscalls.c, 6.18).
 *
 * While this is subscribed to, every system call of the machine takes some 50 to 90 ns longer (measured: getppid).
 */

/*
 * Subscribes; the calls of the thread `except` are not reported. It takes five descriptors for each CPU, and
 * CONFIG_FTRACE_SYSCALLS.
 */
int sched_calls_open(pid_t except, struct trace **ret);

/* ---- moves of processes between cgroups, which no other interface of the kernel reports ---- */

/*
 * Subscribes to the tracepoint cgroup:cgroup_attach_task (since 4.14). Its events have the tid as value: the process's
 * leader, or a thread that is moved alone. There is none for a process that is created in another cgroup than its
 * parent's (CLONE_INTO_CGROUP).
 */
int cgroup_moves_open(struct trace **ret);

/* ---- the parser behind it ---- */

/* Where a record has this field, a signed integer of 4 bytes. format: the text of a `format` file. 0 or -EBADMSG. */
int tracefs_parse_offset(const char *format, const char *name, size_t *ret);
