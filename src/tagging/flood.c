/* SPDX-License-Identifier: GPL-2.0-only */
#include "flood.h"

/* The period of counting: a program that names a thousand threads at its start makes no flood. */
#define COUNTED_MS 200

bool flood_count(struct flood *flood, pid_t tgid, uint32_t ms)
{
	if (!flood->count || ms - flood->since_ms >= COUNTED_MS)
		*flood = (struct flood){ .since_ms = ms };
	flood->count++;
	/* Boyer-Moore majority vote. */
	if (flood->lead == 0)
		flood->tgid = tgid;
	if (flood->tgid == tgid)
		flood->lead++;
	else
		flood->lead--;
	if (flood->count < FLOOD_RATE * COUNTED_MS / 1000)
		return false;
	flood->count = 0;
	return true;
}
