/* SPDX-License-Identifier: GPL-2.0-only */
#include "later.h"

#include <schedqos/util/clock.h>

void later_wake(struct later *later)
{
	if (!later->wake)
		return;
	sd_event_source_set_enabled(later->wake, SD_EVENT_ONESHOT);
	later->owner_is_stale = true;
}

void later_do(struct later *later, enum later_work work, uint32_t in_ms)
{
	later->works |= 1U << work;
	later->at_ms[work] = clock_ms() + in_ms;
	later_wake(later);
}

bool later_is_set(const struct later *later, enum later_work work)
{
	return later->works & 1U << work;
}

void later_drop(struct later *later, enum later_work work)
{
	later->works &= ~(1U << work);
}

bool later_take(struct later *later, enum later_work work)
{
	if (!later_is_set(later, work) || is_before(clock_ms(), later->at_ms[work]))
		return false;
	later_drop(later, work);
	return true;
}

bool later_next(const struct later *later, uint32_t *ret_ms)
{
	bool is_set = false;

	for (int i = 0; i < LATER_WORKS; i++) {
		if (later_is_set(later, i) && (!is_set || is_before(later->at_ms[i], *ret_ms))) {
			*ret_ms = later->at_ms[i];
			is_set = true;
		}
	}
	return is_set;
}
