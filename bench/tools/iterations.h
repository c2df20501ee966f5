/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that is counted in instructions, for the lab: in virtual time a CPU's speed is exact, and work by CPU time would
 * give a task that is interrupted more often less to do.
 */
#pragma once

#include <stdint.h>

/* 250 instructions: a microsecond of a guest with one CPU, which executes one in 4 ns. Most of them cost the host
 * nothing. */
static inline void iterate(uint64_t count)
{
	for (; count; count--)
		__asm__ volatile(".rept 248\n\tnop\n\t.endr");
}

/* The next number of a sequence that its seed determines (splitmix64). */
static inline uint64_t next_random(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
	return mixed ^ mixed >> 31;
}

/* A number from 0 to limit - 1. */
static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return limit ? next_random(state) % limit : 0;
}
