/* SPDX-License-Identifier: GPL-2.0-only */
/* What the daemon counts, so that nothing that goes wrong can hide. */
#pragma once

#include <stdint.h>

/* errno values are small; what is beyond is counted at the end. */
#define STATS_ERRNO_MAX 134

struct stats {
	uint64_t forks, execs, renames; /* events heard */
	uint64_t lost;			/* times the kernel dropped events (ENOBUFS) */
	uint64_t rename_floods;		/* times that renames were left unheard for a while */
	uint64_t scans;			/* of /proc, the first one included */
	uint64_t set;			/* attributes set and read back as wanted */
	uint64_t races;			/* the task was gone before we acted */
	uint64_t not_kept;		/* accepted, but something else was read back */
	uint64_t refused[STATS_ERRNO_MAX + 1]; /* by errno */
	uint64_t receive_errors;
	uint64_t reloads, reloads_failed;
};
