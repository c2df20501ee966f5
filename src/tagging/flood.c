/* SPDX-License-Identifier: GPL-2.0-only */
#include "flood.h"

/* Period over which a flood is counted: a program that names a thousand threads at its start is no flood. */
#define COUNTED_MS 200

bool flood_count(struct flood *flood, unsigned rate, pid_t tid, uint32_t ms)
{
	if (!flood->count || ms - flood->since_ms >= COUNTED_MS)
		*flood = (struct flood){ .since_ms = ms };
	flood->tid = tid;
	if (++flood->count < rate * COUNTED_MS / 1000)
		return false;
	flood->count = 0;
	return true;
}
