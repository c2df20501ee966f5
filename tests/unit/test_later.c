/* SPDX-License-Identifier: GPL-2.0-only */
/* Work for later is taken once, when its time has come, and the next time is that of the earliest work. */
#include "test.h"

#include <schedqos/util/clock.h>

#include "../../src/tagging/later.h"

#define NEVER_MS 1000000000

TEST(work_is_taken_once_when_it_is_time)
{
	struct later later = { 0 };

	assert_false(later_take(&later, LATER_SCAN));
	later_do(&later, LATER_SCAN, 0);
	later_do(&later, LATER_NAMES, NEVER_MS);
	assert_false(later_take(&later, LATER_NAMES));
	assert_true(later_take(&later, LATER_SCAN));
	assert_false(later_take(&later, LATER_SCAN));
	assert_true(later_is_set(&later, LATER_NAMES));
}

TEST(the_next_time_is_the_earliest)
{
	struct later later = { 0 };
	uint32_t at_ms;

	assert_false(later_next(&later, &at_ms));
	later_do(&later, LATER_NAMES, NEVER_MS);
	later_do(&later, LATER_CHANGES, 0);
	assert_true(later_next(&later, &at_ms));
	assert_int_equal(at_ms, later.at_ms[LATER_CHANGES]);
	later_drop(&later, LATER_CHANGES);
	assert_true(later_next(&later, &at_ms));
	assert_int_equal(at_ms, later.at_ms[LATER_NAMES]);
}

/* The times wrap around every 49 days. */
TEST(the_next_time_may_have_wrapped_around)
{
	struct later later = { .works = 1 << LATER_NAMES | 1 << LATER_SCAN };
	uint32_t at_ms;

	later.at_ms[LATER_NAMES] = 5;
	later.at_ms[LATER_SCAN] = UINT32_MAX - 5;
	assert_true(later_next(&later, &at_ms));
	assert_int_equal(at_ms, UINT32_MAX - 5);
}
