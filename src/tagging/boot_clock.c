/* SPDX-License-Identifier: GPL-2.0-only */
#include "boot_clock.h"

/* No suspend is this short; and /proc shows starts in ticks of this length. */
#define SUSPEND_MIN_NS 10000000

/*
 * A delay between the two readings makes the offset look smaller, never larger, and the true offset never shrinks. So
 * the largest one seen is the best.
 */
void boot_clock_update(struct boot_clock *clock, uint64_t boottime, uint64_t monotonic)
{
	const uint64_t offset = boottime > monotonic ? boottime - monotonic : 0;

	if (!clock->updated) {
		clock->offset_then = offset;
	} else if (offset >= clock->offset + SUSPEND_MIN_NS) {
		clock->offset_then = clock->offset;
		clock->after = clock->updated;
		clock->until = monotonic;
	}
	if (offset > clock->offset)
		clock->offset = offset;
	clock->updated = monotonic;
}

uint64_t boot_clock_at(const struct boot_clock *clock, uint64_t event)
{
	return event + (event <= clock->after ? clock->offset_then : clock->offset);
}

uint64_t boot_clock_then(const struct boot_clock *clock, uint64_t event)
{
	return event + (event <= clock->until ? clock->offset_then : clock->offset);
}
