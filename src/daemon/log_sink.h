/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the daemon's log goes: the journal under systemd, a file in the background without one, else stderr. */
#pragma once

/* The journal, if stderr is connected to it; else stderr stays. For a daemon in the foreground. */
void log_sink_foreground(void);

/*
 * The journal, where there is one, or /var/log/schedqosd.log, whose predecessor is kept as .1. Until
 * log_sink_leave_terminal lines go to stderr as well. Returns 0 or -errno, with stderr then still in use.
 */
int log_sink_background(void);
void log_sink_leave_terminal(void);
