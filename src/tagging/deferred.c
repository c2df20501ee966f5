/* SPDX-License-Identifier: GPL-2.0-only */
#include "deferred.h"

#include <string.h>

#include <schedqos/util/clock.h>

/* The first wake-up this long after the decision has the process matched again. */
#define DEFERRED_MS 20

/* After this time it is matched again even if there is no other reason to wake up. */
#define DEFERRED_MAX_MS 50

bool deferred_has_room(const struct deferred *deferred)
{
	return deferred->count < DEFERRED_MAX;
}

static void remove_at(struct deferred *deferred, size_t i)
{
	deferred->count--;
	memmove(&deferred->all[i], &deferred->all[i + 1], (deferred->count - i) * sizeof(deferred->all[0]));
}

void deferred_note(struct deferred *deferred, pid_t tgid, uint32_t ms)
{
	size_t i = 0;

	while (i < deferred->count && deferred->all[i].tgid != tgid)
		i++;
	if (i < deferred->count)
		remove_at(deferred, i);
	deferred->all[deferred->count].tgid = tgid;
	deferred->all[deferred->count++].since_ms = ms;
}

pid_t deferred_take(struct deferred *deferred, uint32_t ms, bool at_once)
{
	pid_t tgid;

	if (!deferred->count || (!at_once && is_before(ms, deferred->all[0].since_ms + DEFERRED_MS)))
		return 0;
	tgid = deferred->all[0].tgid;
	remove_at(deferred, 0);
	return tgid;
}

bool deferred_next(const struct deferred *deferred, uint32_t *ret_ms)
{
	if (deferred->count)
		*ret_ms = deferred->all[0].since_ms + DEFERRED_MAX_MS;
	return deferred->count;
}
