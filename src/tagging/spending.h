/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps users from making the daemon spend its time on reading about their processes. A few files in /proc take as long
 * as the process's owner likes: 17 ms for the status of a process with 65,536 groups, 1 ms for a cgroup that is 600
 * levels deep. Each read of a long file that takes longer than usual adds to the user's debt, which shrinks by 2 % of
 * the time that passes. While the debt is too large, the user's processes are decided about without these reads.
 *
 * A move between cgroups costs us more than the user who makes it, because the process is matched again. So moves add
 * to the same debt, and while it is too large, a move of the user's processes does not have them matched again.
 *
 * A user may own many user ids, so there is also a common debt of all users. While that is too large, we read only
 * about users whose reads have been cheap. Time is an argument: CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "retries.h"

/* Number of users that we keep track of. */
#define SPENDERS_MAX 64

struct debt {
	uint32_t us, ms;   /* debt in us at time ms */
	uint32_t until_ms; /* time at which a debt that is too large is forgotten */
	/* how long it was too large the last time; doubles if that happens again soon */
	uint32_t pause_ms;
	bool is_too_large;
};

/* Starts as all zeroes. */
struct spending {
	struct debt all;
	struct spender {
		uid_t user;
		struct debt debt;
	} spenders[SPENDERS_MAX];
	size_t count, next;   /* next: where to look for an entry to reuse once all are taken */
	bool is_busy;	      /* some user may have debt */
	uint32_t busy_ms;     /* until this time */
	unsigned reads;	      /* number of reads without a note */
	struct retries spared; /* processes that were decided about without these reads */
};

/* Returns whether no user has any debt, so that we need not find out the process's user. */
bool spending_is_quiet(struct spending *spending, uint32_t ms);

/* Returns whether to read about a process of this user. */
bool spending_allows(struct spending *spending, uid_t user, uint32_t ms);

/* Returns the part of the CPU time `ns`, spent on reading a file of this size, that the process's owner has caused. */
uint64_t spending_cost(uint64_t ns, size_t bytes);

/*
 * Returns whether to note a read of this duration: if it took long, or if some user has debt; otherwise now and then,
 * so that we know which users have cheap reads.
 */
bool spending_is_of_note(struct spending *spending, uint64_t ns, uint32_t ms);

/* Notes how long a read about a process of this user took. Returns whether the user's debt has become too large. */
bool spending_note(struct spending *spending, uid_t user, uint64_t ns, uint32_t ms);

/*
 * Charges the user for a process that has moved between cgroups, which is matched again then. Returns whether the
 * user's debt has become too large.
 */
bool spending_note_move(struct spending *spending, uid_t user, uint32_t ms);
