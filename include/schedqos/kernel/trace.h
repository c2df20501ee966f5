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
