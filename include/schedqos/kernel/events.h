/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of tasks: forks, execs and renames from the proc connector, system calls and cgroup moves from tracepoints. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/util/terms.h>

/*
 * ---- the proc connector ----
 *
 * Netlink events for every fork, exec and rename on the machine. We do not subscribe to its exit events. It works only
 * in the initial network, PID and user namespaces.
 */

struct proc_connector;

/*
 * Subscribes to the events in `wanted` (enum event_kind) with a receive buffer of this many bytes, above the system's
 * limit if the capability allows it. A socket filter drops all other events. Returns 0 or -errno: -EPERM without
 * CAP_NET_ADMIN, -ECONNREFUSED outside the initial network namespace, -EPROTONOSUPPORT if the kernel has no connector.
 */
int proc_connector_open(uint32_t wanted, int buffer_size, struct proc_connector **ret);
void proc_connector_close(struct proc_connector *connector);

int proc_connector_fd(const struct proc_connector *connector);

/*
 * Checks that events arrive on this subscription, which must include forks or renames: forks a child that renames
 * itself and ends, and looks for an event of the child. Drops all other events. Returns 0, -ENODATA if there is none,
 * or another -errno.
 */
int proc_connector_probe(struct proc_connector *connector);

/*
 * Receives up to `max` events without waiting. Returns their number, which may be 0 even if messages of other kinds
 * were received; or -errno: -ENOBUFS if the kernel has dropped events; receiving can go on after that. *ret_drained
 * tells whether the queue is empty.
 */
int proc_connector_receive(struct proc_connector *connector, struct task_event *events, size_t max,
			   bool *ret_drained);

/*
 * Decodes one datagram. Returns 1 and the event, without its start; 0 for another kind of event; -EBADMSG if it is
 * malformed.
 */
int proc_connector_decode(const void *datagram, size_t size, struct task_event *ret);

/*
 * ---- tracepoints ----
 *
 * Each hit on any CPU is received through perf_event_open, which needs CAP_PERFMON (CAP_SYS_ADMIN before Linux 5.8).
 * Nothing is written to tracefs.
 */

/* One hit of a tracepoint. */
struct trace_event {
	pid_t tid;     /* the task that hit it, in the initial PID namespace */
	uint64_t ns;   /* CLOCK_MONOTONIC */
	int32_t value; /* of the field that the subscription selects; 0 if it selects none */
};

struct trace;

void trace_close(struct trace *trace);

/* Returns a descriptor that is readable while hits are queued. The trace keeps ownership of it. */
int trace_fd(const struct trace *trace);

/*
 * Takes the earliest queued event of all CPUs, without waiting. Returns 1, 0 if there is none, or -ENOBUFS if the
 * kernel has dropped events since the previous call.
 */
int trace_next(struct trace *trace, struct trace_event *ret);

/* Drops all queued events. */
void trace_discard(struct trace *trace);

/*
 * The functions below that subscribe return 0 or -errno: -ENOENT if this kernel has no such tracepoint; -EACCES or
 * -EPERM without the capability, or if something forbids perf_event_open; -ENOSYS if the kernel lacks it.
 */

/* Explains an error of these functions to users. error is positive. The text is static, or as strerror returns it. */
const char *trace_fault(int error);

/* ---- system calls that change a task's attributes ---- */

/*
 * sched_setattr, sched_setscheduler, sched_setparam, setpriority and ioprio_set: each call is reported when it returns,
 * even if it fails. The event names the caller, not the task that the call changes. Calls of 32-bit programs on a
 * 64-bit kernel are not reported (trace_get_syscall_nr in trace_syscalls.c, 6.18).
 *
 * While anybody subscribes, every system call on the machine takes about 50 to 90 ns longer (measured with getppid).
 */

/*
 * Subscribes to these calls, except those of the thread `except`. Needs five descriptors for each CPU, and
 * CONFIG_FTRACE_SYSCALLS.
 */
int sched_calls_open(pid_t except, struct trace **ret);

/* ---- moves between cgroups; no other interface of the kernel reports them ---- */

/*
 * Subscribes to the tracepoint cgroup:cgroup_attach_task (since 4.14). The value of its events is a tid: the leader of
 * the process that was moved, or a thread that was moved alone. A process that is created outside its parent's cgroup
 * (CLONE_INTO_CGROUP) causes no event.
 */
int cgroup_moves_open(struct trace **ret);

/* ---- the parser for tracepoint formats ---- */

/*
 * Finds the offset in a record of a field that is a signed integer of 4 bytes. format is the text of the tracepoint's
 * `format` file. Returns 0 or -EBADMSG.
 */
int tracefs_parse_offset(const char *format, const char *name, size_t *ret);
