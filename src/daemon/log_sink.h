/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the daemon's log goes: the journal under systemd, a file in the background without one, else stderr. Who acts
 * for every task must not wait for whoever reads its log: a line that is not taken at once is lost, and counted.
 */
#pragma once

#include <stdint.h>

/* The journal, if stderr is connected to it; else stderr stays. For a daemon in the foreground. */
void log_sink_foreground(void);

/*
 * The journal, where there is one, or /var/log/schedqosd.log, whose predecessor is kept as .1; at 8 MiB it becomes that
 * itself, and a new one is begun. Until log_sink_ready lines go to stderr as well. Returns 0 or -errno, with stderr
 * then still in use.
 */
int log_sink_background(void);

/* Up to now somebody waits for our start to succeed or fail, and we for them to read why; from now on nobody does. */
void log_sink_ready(void);

/* The descriptor of the journal or the file, or -1: for who closes all others. */
int log_sink_fd(void);

/* How many lines were lost. */
uint64_t log_sink_lost(void);
