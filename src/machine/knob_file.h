/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of changed knobs as a JSON file in the runtime folder. */
#pragma once

#include <stddef.h>

#include "knob_records.h"

/* folder: its descriptor, or the -errno for which there is none, which these then return. */

/*
 * Returns 0 and the records, to be cleared; -errno as state_file_open; -EBADMSG for a file that is torn or not of this
 * format, -ESTALE for one of another boot, -EPROTONOSUPPORT for one of another version; or another -errno.
 */
int knob_file_read(int folder, struct knob_records *ret);

/* Replaces the file atomically; removes it when there is nothing to record. 0 or -errno. */
int knob_file_write(int folder, const struct knob_records *records);

/* The parser, for size bytes of text followed by a NUL, and the printer (to be freed; NULL without memory). */
int knob_file_parse(const char *text, size_t size, const char *boot_now, struct knob_records *ret);
char *knob_file_text(const struct knob_records *records, const char *boot_now);
