/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps users from making the daemon spend its time on reading about their processes. A few files in /proc take as long
 * as the process's owner likes: 17 ms for the status of one with 65,536 groups, 1 ms for the cgroup of one that is 600
 * levels deep. Each read that takes longer than usual adds to the user's debt, which shrinks by 2 % of the time that
 * passes. While the debt is too large, the user's processes are decided about without these reads.
 *
 * A user may own many user ids, so there is one more debt, of all users together. While that is too large, only users
 * whose reads have been cheap are read about. Time is an argument: CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "unread.h"

/* Users of whom something is known. */
#define SPENDERS_MAX 64

struct debt {
	uint32_t us, ms;   /* what it was then */
	uint32_t until_ms; /* while it is too large: when it is forgotten */
	uint32_t pause_ms; /* how long it was too large the last time; doubles if that is soon again */
	bool is_too_large;
};

/* Starts as all zeroes; then call spending_begin. */
struct spending {
	uint64_t free_ns; /* CPU time of a read that costs its user nothing; 0: the default, 0.2 ms */
	struct debt all;
	struct spender {
		uid_t user;
		struct debt debt;
	} spenders[SPENDERS_MAX];
	size_t count, next;   /* next: where to look for a place once all are taken */
	bool is_busy;	      /* anybody may have debt ... */
	uint32_t busy_ms;     /* ... until then */
	unsigned reads;	      /* counts those that are not noted */
	struct unread spared; /* processes that were decided about without these reads */
};

/*
 * Sets the CPU time that an ordinary read takes on this machine, some 20 us. On a slow one, such as an emulated guest,
 * ordinary reads must not count as costly.
 */
void spending_begin(struct spending *spending, uint64_t usual_ns);

/* Whether nobody has any debt, so that there is no need to find out whose process it is. */
bool spending_is_quiet(struct spending *spending, uint32_t ms);

/* Whether to read about a process of this user. */
bool spending_allows(struct spending *spending, uid_t user, uint32_t ms);

/*
 * Whether to note a read that took so long: if it took long or somebody has debt; else now and then, so that users are
 * known whose reads are cheap.
 */
bool spending_is_of_note(struct spending *spending, uint64_t ns, uint32_t ms);

/* Notes how long a read about a process of this user took. Returns whether the user's debt has become too large. */
bool spending_note(struct spending *spending, uid_t user, uint64_t ns, uint32_t ms);
