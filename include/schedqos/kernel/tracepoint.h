/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's tracepoints, received as they are hit on any CPU: by perf_event_open, which needs CAP_PERFMON, and tracefs
 * to look their numbers and fields up. Nothing is written to it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACEPOINT_FIELDS_MAX 6

/* What is asked for. */
struct tracepoint {
	const char *name;			   /* "cgroup/cgroup_attach_task": its folder below events/ */
	const char *fields[TRACEPOINT_FIELDS_MAX]; /* of its integers those that are of interest, NULL behind the last */
};

/* That a tracepoint was hit. */
struct trace_event {
	size_t point;			       /* its index among those that were asked for */
	pid_t tid;			       /* of the task that hit it, in the initial PID namespace */
	uint64_t ns;			       /* CLOCK_MONOTONIC */
	int64_t fields[TRACEPOINT_FIELDS_MAX]; /* as asked for */
};

struct trace;

/*
 * A descriptor of tracefs: as it is mounted, or else mounted for us alone. -errno as detached_mount, and -EACCES if it
 * is closed to us. Lockdown for confidentiality leaves it empty.
 */
int tracefs_open(void);

/*
 * Hears the tracepoints, on all CPUs that are online now. tracefs stays the caller's. Returns 0 or -errno: -ENOENT for
 * a tracepoint that this kernel does not have, -EBADMSG for one without such a field, -EACCES or -EPERM without the
 * capability (or where something forbids perf_event_open), -ENOSYS on a kernel without it.
 */
int trace_open(int tracefs, const struct tracepoint *points, size_t n_points, struct trace **ret);
void trace_close(struct trace *trace);

/* Readable when something has been hit. */
int trace_fd(const struct trace *trace);

/*
 * The next event of all CPUs by time, without waiting. Returns 1, 0 if there is none, or -ENOBUFS if the kernel has
 * dropped some since the call before.
 */
int trace_next(struct trace *trace, struct trace_event *ret);

/* Where in a tracepoint's record its number and a field are, of 1, 2, 4 or 8 bytes. */
struct trace_field {
	uint16_t offset;
	uint8_t size;
	uint8_t is_signed;
};

/* The parser behind trace_open: the text of a `format` file. Returns 0 or -EBADMSG. */
int tracepoint_parse_field(const char *format, const char *name, struct trace_field *ret);

/* Reads a field out of a record of so many bytes; 0 where it is too short. */
int64_t tracepoint_read_field(const struct trace_field *field, const void *record, size_t size);
