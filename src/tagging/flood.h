/* SPDX-License-Identifier: GPL-2.0-only */
/* Recognizes floods: events that arrive faster than we want to handle. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts as all zeroes. */
struct flood {
	uint32_t since_ms; /* start of the counting; CLOCK_MONOTONIC, cut to 32 bits */
	uint32_t count;	   /* since then */
	pid_t tid;	   /* task of the last event, or its process; 0 if renames were lost */
};

/*
 * Counts an event of this task at ms. Returns whether this is a flood: a fifth of `rate` within a fifth of a second.
 * The counting then starts over.
 */
bool flood_count(struct flood *flood, unsigned rate, pid_t tid, uint32_t ms);
