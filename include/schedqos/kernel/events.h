/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of tasks, by the proc connector and by tracepoints. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/util/terms.h>

/*
 * ---- the proc connector: netlink events for every fork, exec and rename on the machine. Exits, which it reports as
 * well, are not subscribed to. It works in the initial network, PID and user namespaces only ----
 */

struct proc_connector;

/*
 * Subscribes to the events in `wanted` (enum event_kind) with a receive buffer of this many bytes, above the system's
 * limit if the capability allows. A socket filter drops all others.
 * Returns 0 or -errno: -EPERM without CAP_NET_ADMIN, -ECONNREFUSED outside the initial network
 * namespace, -EPROTONOSUPPORT when the kernel has no connector.
 */
int proc_connector_open(uint32_t wanted, int buffer_size, struct proc_connector **ret);
void proc_connector_close(struct proc_connector *connector);

int proc_connector_fd(const struct proc_connector *connector);

/*
 * Checks that events arrive on this subscription, which must include forks or renames: forks a child that renames
 * itself and ends, and looks for an event of it, dropping all others. Returns 0, -ENODATA if there is none, or another
 * -errno.
 */
int proc_connector_probe(struct proc_connector *connector);

/*
 * Receives up to `max` events without waiting. Returns their number, 0 when there is none (what was received may
 * all have been of other kinds: *ret_drained tells whether the queue was empty), or -errno: -ENOBUFS when the
 * kernel has dropped events, after which receiving goes on.
 */
int proc_connector_receive(struct proc_connector *connector, struct task_event *events, size_t max,
			   bool *ret_drained);

/*
 * Decodes one datagram. Returns 1 and the event, without its start; 0 for another kind of event; -EBADMSG if
 * malformed.
 */
int proc_connector_decode(const void *datagram, size_t size, struct task_event *ret);

/*
 * ---- tracepoints, received as they are hit on any CPU: by perf_event_open, which needs CAP_PERFMON (CAP_SYS_ADMIN
 * before Linux 5.8). Nothing is written to tracefs ----
 */

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

/* Drops all that is queued. */
void trace_discard(struct trace *trace);

/*
 * The functions below that subscribe return 0 or -errno: -ENOENT if this kernel has no such tracepoint; -EACCES or
 * -EPERM without the capability, or if something forbids perf_event_open; -ENOSYS if the kernel lacks it.
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
