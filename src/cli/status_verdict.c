/* SPDX-License-Identifier: GPL-2.0-only */
#include "status_verdict.h"

#include <inttypes.h>
#include <stdio.h>

#include <schedqos/util/cleanup.h>

/* Appends to what buf holds, and returns the new length, which is at most that of a full buffer. */
static size_t put(char *buf, size_t size, size_t len, const char *text)
{
	int n = len < size ? snprintf(buf + len, size - len, "%s", text) : 0;

	return n < 0 || len + (size_t)n >= size ? size - 1 : len + (size_t)n;
}

char *status_verdict(const struct status_summary *summary, char *buf, size_t size)
{
	/* Of several: before, their number, after. Yes or no, if before is NULL. */
	const struct {
		uint64_t count;
		const char *one, *before, *after;
	} wrong[] = {
		{ summary->suspended, "tagging is suspended for a client", NULL, NULL },
		{ summary->reload_refused, "the last reload was refused", NULL, NULL },
		{ summary->lost, "events were lost once", "events were lost ", " times" },
		{ summary->receive_errors, "events could not be received once", "events could not be received ",
		  " times" },
		{ summary->refused, "the kernel refused once", "the kernel refused ", " times" },
		{ summary->not_kept, "the kernel did not keep what was set once",
		  "the kernel did not keep what was set ", " times" },
		{ summary->unknown_users, "1 user is not known", "", " users are not known" },
		{ summary->unread, "1 process cannot be read", "", " processes cannot be read" },
		{ summary->log_lost, "1 line of the log was lost", "", " lines of the log were lost" },
		{ !summary->crash_safe, "a crash could not be repaired", NULL, NULL },
		{ summary->problems, "1 problem below", "", " problems below" },
	};
	char part[128];
	size_t len = put(buf, size, 0, "");
	const char *separator = "not well: ";

	for (size_t i = 0; i < array_size(wrong); i++) {
		if (!wrong[i].count)
			continue;
		len = put(buf, size, len, separator);
		if (wrong[i].count == 1 || !wrong[i].before)
			snprintf(part, sizeof(part), "%s", wrong[i].one);
		else
			snprintf(part, sizeof(part), "%s%" PRIu64 "%s", wrong[i].before, wrong[i].count,
				 wrong[i].after);
		len = put(buf, size, len, part);
		separator = ", ";
	}
	/* Few machines have every knob of a profile, so that is nothing amiss. */
	snprintf(part, sizeof(part), "%s%" PRIu64 " task%s in %" PRIu64 " class%s%s%s", len ? "; " : "well: ",
		 summary->tasks, summary->tasks == 1 ? "" : "s", summary->classes,
		 summary->classes == 1 ? "" : "es", len ? "" : ", nothing lost, nothing refused",
		 summary->knobs_refused ? "; some knobs of the profile could not be set" : "");
	put(buf, size, len, part);
	return buf;
}
