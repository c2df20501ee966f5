/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the daemon's log goes: to the journal under systemd; in the background to the journal or the syslog; else to
 * stderr. The daemon must not block on whoever reads its log: a line that cannot be written at once is dropped and
 * counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* For a daemon in the foreground: logs to the journal, if stderr is connected to it, else to stderr. */
void log_sink_foreground(void);

/*
 * For a daemon in the background: logs to the journal if there is one, else to the syslog, else to stderr if that is a
 * file. Until log_sink_ready, lines go to stderr as well. Returns whether there is any of these.
 */
bool log_sink_background(void);

/* The start has succeeded: from now on nobody waits for messages on stderr, and writing there must not block. */
void log_sink_ready(void);

/* Whether lines go to stderr, which then has to stay open. */
bool log_sink_is_stderr(void);

/* The number of lines that were dropped. */
uint64_t log_sink_lost(void);
