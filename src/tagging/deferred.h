/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that were decided about by their program alone, although their arguments could name another rule. They are
 * matched again some time later, with arguments. Most programs have ended by then: reading arguments at once would make
 * an exec cost 1.6 times as much (schedqos-bench lab costs). Time is an argument: CLOCK_MONOTONIC in ms, cut to 32
 * bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Maximum number of processes, enough for 5,000 execs a second. */
#define DEFERRED_MAX 256

/* Starts as all zeroes. */
struct deferred {
	struct {
		pid_t tgid;
		uint32_t since_ms;
	} all[DEFERRED_MAX]; /* sorted by time */
	size_t count;
};

bool deferred_has_room(const struct deferred *deferred);

/* Adds a process, in place of an earlier entry of it. There must be room. */
void deferred_note(struct deferred *deferred, pid_t tgid, uint32_t ms);

/* Removes and returns the first process whose time has come, or the first of all with at_once; 0 if there is none. */
pid_t deferred_take(struct deferred *deferred, uint32_t ms, bool at_once);

/* Stores when to wake up for the first process, if nothing else does. Returns false if there is none. */
bool deferred_next(const struct deferred *deferred, uint32_t *ret_ms);
