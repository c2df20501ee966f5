/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the daemon's log goes: to the journal under systemd, to a file in the background without systemd, else to
 * stderr. The daemon must not block on whoever reads its log: a line that cannot be written at once is dropped and
 * counted.
 */
#pragma once

#include <stdint.h>

/* For a daemon in the foreground: logs to the journal, if stderr is connected to it, else to stderr. */
void log_sink_foreground(void);

/*
 * For a daemon in the background: logs to the journal if there is one, else to /var/log/schedqosd.log, which is
 * rotated to .1 at the start and at 8 MiB. Until log_sink_ready, lines go to stderr as well. Returns 0, or -errno and
 * leaves the log on stderr.
 */
int log_sink_background(void);

/* The start has succeeded: from now on nobody waits for messages on stderr, and writing there must not block. */
void log_sink_ready(void);

/* The descriptor of the journal or the file, or -1: for a caller that closes all others. */
int log_sink_fd(void);

/* The number of lines that were dropped. */
uint64_t log_sink_lost(void);
