/* SPDX-License-Identifier: GPL-2.0-only */
/* Detects a flood of events that cost us more than their author, and the process behind it. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct flood {
	uint32_t since_ms; /* when the counting began; CLOCK_MONOTONIC, cut to 32 bits */
	uint32_t count;	   /* since then */
	pid_t tgid;	   /* the process with more than half of them, if there is one */
	uint32_t lead;	   /* the counter of the majority vote */
};

/* This many a second are a flood: each costs us some 2 us, and its author less. */
#define FLOOD_RATE 5000

/* Counts an event of one of the process's threads at ms. Returns whether this makes a flood; then it starts over. */
bool flood_count(struct flood *flood, pid_t tgid, uint32_t ms);
