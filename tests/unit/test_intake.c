/* SPDX-License-Identifier: GPL-2.0-only */

#include "test.h"

#include "../../src/tagging/intake.h"

static void times_ascend(void **state)
{
	struct task_event events[] = { { .ns = 5 }, { .ns = 9 }, { .ns = 7 }, { .ns = 8 }, { .ns = 30 }, { .ns = 12 } };
	const uint64_t expected[] = { 5, 9, 9, 9, 20, 20 };

	(void)state;
	intake_put_in_order(events, 6, 20);
	for (int i = 0; i < 6; i++)
		assert_int_equal(events[i].ns, expected[i]);
	intake_put_in_order(events, 0, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(times_ascend) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
