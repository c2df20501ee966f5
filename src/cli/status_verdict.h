/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether all is well with the daemon, in one line. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts are since the daemon's start, but for what says "now". */
struct status_summary {
	uint64_t tasks, classes; /* now: tasks that carry a class, and classes that have any */
	uint64_t lost, receive_errors;
	uint64_t refused, not_kept;
	uint64_t log_lost;
	uint64_t problems;	/* kinds of problem that have occurred */
	uint64_t unread;	/* now: processes whose arguments cannot be read */
	uint64_t unknown_users; /* now: users named in rules */
	bool knobs_refused;	/* now: some */
	bool reload_refused;	/* the last one */
	bool suspended;
	bool crash_safe;
};

/* "well: ..." or "not well: ..." in buf, cut to fit. Returns buf. */
char *status_verdict(const struct status_summary *summary, char *buf, size_t size);
