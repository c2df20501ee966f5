/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of changed knobs as they stand in the runtime folder: an object of JSON. */
#pragma once

#include <stddef.h>

#include "knob_records.h"

/* folder: its descriptor, or the -errno for want of one, which is then what these return. */

/*
 * Returns 0 and the records, to be cleared; as state_file_open, or -EBADMSG for a file that is torn or of another form;
 * -ESTALE for one of another boot; -EPROTONOSUPPORT for another version of it; or another -errno.
 */
int knob_file_read(int folder, struct knob_records *ret);

/* So that the file is always the old one or the new one. It is there as long as there is something to know. 0 or -errno. */
int knob_file_write(int folder, const struct knob_records *records);

/* The parser behind them, for size bytes of text and a NUL behind them, and the printer (to be freed; NULL: no memory). */
int knob_file_parse(const char *text, size_t size, const char *boot_now, struct knob_records *ret);
char *knob_file_text(const struct knob_records *records, const char *boot_now);
