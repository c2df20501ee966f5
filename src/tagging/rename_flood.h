/* SPDX-License-Identifier: GPL-2.0-only */
/* When renames are a flood, and whose. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rename_flood {
	uint32_t since_ms; /* when the counting began; CLOCK_MONOTONIC, cut to 32 bits */
	uint32_t count;	   /* since then */
	pid_t tgid;	   /* the process with more of them than all others together, if there is one */
	uint32_t lead;	   /* its renames less the others', as far as is known */
};

/* So many a second are a flood: each costs us some 2 us, and its author less. */
#define RENAME_FLOOD_RATE 5000

/* Counts a rename of one of the process's threads at ms. Returns whether they have become a flood; then it counts anew. */
bool rename_flood_count(struct rename_flood *flood, pid_t tgid, uint32_t ms);
