/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracefs tells of the kernel's tracepoints: their numbers, and where in a record their fields are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/kernel/trace.h>

/* A tracepoint, and which of its integers are asked for. */
struct tracepoint {
	const char *name;			   /* "cgroup/cgroup_attach_task": its folder below events/ */
	const char *fields[TRACEPOINT_FIELDS_MAX]; /* NULL after the last */
};

/* A field of 1, 2, 4 or 8 bytes. */
struct tracefs_field {
	uint16_t offset;
	uint8_t size;
	uint8_t is_signed;
};

struct tracefs_format {
	uint32_t id;			/* its number, for perf_event_open */
	struct tracefs_field type, tid; /* of every tracepoint: that number, and the task that hit it */
	struct tracefs_field fields[TRACEPOINT_FIELDS_MAX];
	size_t n_fields;
};

/*
 * A descriptor of tracefs: as it is mounted, or else mounted for us alone. -errno as detached_mount, and -EACCES if it
 * is closed to us. Lockdown for confidentiality leaves it empty.
 */
int tracefs_open(void);

/* Returns 0 or -errno: -ENOENT if this kernel has no such tracepoint, -EBADMSG if that has no such field. */
int tracefs_look_up(int tracefs, const struct tracepoint *wanted, struct tracefs_format *ret);

/* The parser behind it: format is the text of a `format` file. Returns 0 or -EBADMSG. */
int tracefs_parse_field(const char *format, const char *name, struct tracefs_field *ret);

/* Reads a field of a record of size bytes; 0 if the record is too short for it. */
int64_t tracefs_read_field(const struct tracefs_field *field, const void *record, size_t size);
