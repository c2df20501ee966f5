/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the daemon's log goes: to stderr, as the journal wants it if that is there; in the background to the syslog. The
 * daemon must not block on whoever reads its log: a line that cannot be written at once is dropped and counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* For a daemon in the foreground: logs to stderr. */
void log_sink_foreground(void);

/*
 * For a daemon in the background: logs to the syslog, whose socket the journal has, too, else to stderr if that is a file.
 * Until log_sink_ready, lines go to stderr as well. Returns whether there is any of these.
 */
bool log_sink_background(void);

/* The start has succeeded: from now on nobody waits for messages on stderr, and writing there must not block. */
void log_sink_ready(void);

/* Whether lines go to stderr, which then has to stay open. */
bool log_sink_is_stderr(void);

/* The number of lines that were dropped. */
uint64_t log_sink_lost(void);
