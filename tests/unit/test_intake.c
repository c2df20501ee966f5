/* SPDX-License-Identifier: GPL-2.0-only */

#include "test.h"

#include "../../src/tagging/intake.h"

TEST(times_of_a_batch_ascend_and_are_not_in_the_future)
{
	struct task_event events[] = { { .ns = 5 }, { .ns = 9 }, { .ns = 7 }, { .ns = 8 }, { .ns = 30 }, { .ns = 12 } };
	const uint64_t expected[] = { 5, 9, 9, 9, 20, 20 };

	intake_put_in_order(events, 6, 20);
	for (int i = 0; i < 6; i++)
		assert_int_equal(events[i].ns, expected[i]);
	intake_put_in_order(events, 0, 20);
}
