/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies when events are a flood, and which process causes it. */

#include "test.h"

#include "../../src/tagging/flood.h"

#define RATE 5000

/* Counts per_ms renames a millisecond from ms on, by the processes in turn. Returns the time until a flood, or -1. */
static int flood_after(struct flood *flood, uint32_t ms, int per_ms, const pid_t *tgids, int n_tgids)
{
	int n = 0;

	for (int i = 0; i < 10000; i++) {
		for (int k = 0; k < per_ms; k++) {
			if (flood_count(flood, RATE, tgids[n++ % n_tgids], ms + (uint32_t)i))
				return i;
		}
	}
	return -1;
}

TEST(a_flood_begins_at_the_rate)
{
	static const pid_t one[] = { 100 };
	struct flood flood = { 0 };

	assert_int_equal(flood_after(&flood, 1000, RATE / 1000 - 1, one, 1), -1);
	assert_in_range(flood_after(&flood, 20000, RATE / 1000 + 1, one, 1), 100, 200);
}

TEST(the_clock_may_wrap_around)
{
	static const pid_t one[] = { 100 };
	struct flood flood = { 0 };

	assert_int_equal(flood_after(&flood, UINT32_MAX - 5000, RATE / 1000 - 1, one, 1), -1);
	assert_in_range(flood_after(&flood, UINT32_MAX - 100, RATE / 1000 + 1, one, 1), 100, 200);
}

TEST(counting_starts_over_after_a_flood)
{
	static const pid_t one[] = { 100 }, other[] = { 200 };
	struct flood flood = { 0 };

	assert_in_range(flood_after(&flood, 0, 1000, one, 1), 0, 1);
	assert_false(flood_count(&flood, RATE, 200, 2));
	assert_in_range(flood_after(&flood, 3, 1000, other, 1), 0, 2);
	assert_int_equal(flood.tid, 200);
}
