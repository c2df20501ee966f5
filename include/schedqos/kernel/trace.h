/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, received as they are hit on any CPU: by perf_event_open, which needs CAP_PERFMON (CAP_SYS_ADMIN before
 * Linux 5.8). Nothing is written to tracefs.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACEPOINT_FIELDS_MAX 6

/* A tracepoint was hit. */
struct trace_event {
	size_t point;			       /* its index among those that were asked for */
	pid_t tid;			       /* of the task that hit it, in the initial PID namespace */
	uint64_t ns;			       /* CLOCK_MONOTONIC */
	int64_t fields[TRACEPOINT_FIELDS_MAX]; /* as asked for */
};

struct trace;
struct tracepoint; /* tracefs.h, of the kernel's room */

/*
 * Subscribes to the tracepoints on all CPUs that are online now; n_points is at least 1, and points must outlive the
 * trace. filter: an expression of fields that they all have, which the kernel tests before it reports a hit
 * (Documentation/trace/events.rst); NULL for none. tracefs remains the caller's. Returns 0 or -errno: as tracefs_look_up; -EACCES or -EPERM without the capability, or if something forbids
 * perf_event_open; -ENOSYS if the kernel lacks it.
 */
int trace_open(int tracefs, const struct tracepoint *points, size_t n_points, const char *filter,
	       struct trace **ret);
void trace_close(struct trace *trace);

/* Readable when something has been hit. */
int trace_fd(const struct trace *trace);

/*
 * The next event of all CPUs by time, without waiting. Returns 1, 0 if there is none, or -ENOBUFS if the kernel has
 * dropped some since the call before.
 */
int trace_next(struct trace *trace, struct trace_event *ret);

/* Why tracefs_open, tracefs_look_up or trace_open failed, for people. errno is positive. Static storage, or as strerror. */
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
 * Subscribes; the calls of the thread `except` are not reported. It takes five descriptors for each CPU. Returns 0 or
 * -errno as tracefs_open, tracefs_look_up and trace_open: -ENOENT without CONFIG_FTRACE_SYSCALLS.
 */
int sched_calls_open(pid_t except, struct trace **ret);

/* Why sched_calls_open failed, for people. errno is positive. Static storage, or as strerror. */
const char *sched_calls_fault(int error);

/* ---- moves of processes between cgroups, which no other interface of the kernel reports ---- */

/*
 * Subscribes to the tracepoint cgroup:cgroup_attach_task (since 4.14). Its events have the tid in fields[0]: the process's
 * leader, or a thread that is moved alone. There is none for a process that is created in another cgroup than its
 * parent's (CLONE_INTO_CGROUP). Returns 0 or -errno as tracefs_open, tracefs_look_up and trace_open.
 */
int cgroup_moves_open(struct trace **ret);

/* Why that failed, for people. errno is positive. Static storage, or as strerror. */
const char *cgroup_moves_fault(int error);
