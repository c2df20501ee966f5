/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes are to be tried again, when, and how much time may be lost with that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <schedqos/policy/unread.h>

/* Times wrap around in between. */
#define BEGAN (UINT32_MAX - 1000)

#define MINUTE 60000

static struct unread unread;

static int begin(void **state)
{
	(void)state;
	unread_init(&unread, BEGAN);
	return 0;
}

static void each_try_in_vain_doubles_the_wait_up_to_a_minute(void **state)
{
	uint32_t ms = BEGAN, wait = 100;

	(void)state;
	assert_false(unread_is_waiting(&unread, 5, ms));
	for (int i = 0; i < 20; i++) {
		assert_true(unread_note(&unread, 5, ms));
		assert_int_equal(unread.count, 1);
		assert_true(unread_is_waiting(&unread, 5, ms));
		assert_true(unread_is_waiting(&unread, 5, ms + wait - 1));
		assert_false(unread_is_waiting(&unread, 5, ms + wait));
		assert_false(unread_is_waiting(&unread, 6, ms));
		ms += wait;
		wait = wait * 2 > MINUTE ? MINUTE : wait * 2;
	}
	unread_forget(&unread, 5);
	assert_false(unread_is_waiting(&unread, 5, ms));
	assert_null(unread_first(&unread));
	unread_note(&unread, 5, ms);
	assert_false(unread_is_waiting(&unread, 5, ms + 100));
}

static void what_is_not_tried_does_not_wait_longer(void **state)
{
	(void)state;
	unread_note(&unread, 5, BEGAN);
	unread_note(&unread, 5, BEGAN + 50);
	assert_false(unread_is_waiting(&unread, 5, BEGAN + 100));
}

static void the_first_is_the_one_to_be_tried_next(void **state)
{
	(void)state;
	unread_note(&unread, 5, BEGAN + 2000);
	unread_note(&unread, 6, BEGAN);
	unread_note(&unread, 7, BEGAN + 1500);
	assert_int_equal(unread_first(&unread)->pid, 6);
	unread_forget(&unread, 6);
	unread_forget(&unread, 99);
	assert_int_equal(unread_first(&unread)->pid, 7);
	unread_forget(&unread, 7);
	assert_int_equal(unread_first(&unread)->pid, 5);
}

static void there_is_an_end_to_the_places(void **state)
{
	(void)state;
	for (int i = 0; i < UNREAD_MAX; i++)
		assert_true(unread_note(&unread, 100 + i, BEGAN));
	assert_false(unread_note(&unread, 5, BEGAN));
	assert_true(unread_note(&unread, 100, BEGAN + 100));
	unread_forget(&unread, 200);
	assert_true(unread_note(&unread, 5, BEGAN));
	assert_true(unread_is_waiting(&unread, 100 + UNREAD_MAX - 1, BEGAN));
}

/* However many there are. */
static void one_part_in_twenty_of_the_time_is_lost_at_most(void **state)
{
	const uint64_t all_us = 10 * MINUTE * 1000UL;
	uint64_t lost_us = 0;

	(void)state;
	for (uint32_t ms = 0; ms < 10 * MINUTE; ms++) {
		uint32_t patience_ms = unread_patience_ms(&unread, BEGAN + ms);

		unread_spend(&unread, 1000, patience_ms * 1000, BEGAN + ms);
		lost_us += patience_ms * 1000;
	}
	assert_in_range(lost_us, all_us / 21, all_us / 20 + UNREAD_BUDGET_US + 1000);
}

static void the_more_is_lost_the_less_is_waited(void **state)
{
	const uint32_t later = BEGAN + 100 * MINUTE;
	uint32_t patience_ms, last = UNREAD_PATIENCE_MS;
	int tries = 0;

	(void)state;
	assert_int_equal(unread_patience_ms(&unread, later), UNREAD_PATIENCE_MS);
	for (; (patience_ms = unread_patience_ms(&unread, later)); tries++) {
		assert_true(patience_ms <= last);
		last = patience_ms;
		unread_spend(&unread, 1000, patience_ms * 1000, later);
	}
	assert_int_equal(last, 1);
	assert_in_range(tries, 15, 30);
	assert_int_equal(unread_patience_ms(&unread, later + 20), 1);
	assert_int_equal(unread_patience_ms(&unread, later + 1000), 10);
}

static void a_user_is_suspect_for_a_minute(void **state)
{
	(void)state;
	unread_spend(&unread, 1000, 20000, BEGAN);
	unread_spend(&unread, UNREAD_OTHER_NAMESPACE, 20000, BEGAN);
	unread_spend(&unread, 1000, 20000, BEGAN + 30000);
	assert_true(unread_is_suspect(&unread, UNREAD_OTHER_NAMESPACE, BEGAN + MINUTE - 1));
	assert_false(unread_is_suspect(&unread, UNREAD_OTHER_NAMESPACE, BEGAN + MINUTE));
	assert_true(unread_is_suspect(&unread, 1000, BEGAN + MINUTE));
	assert_false(unread_is_suspect(&unread, 1001, BEGAN));
}

static void of_many_users_the_last_ones_are_suspect(void **state)
{
	(void)state;
	for (uint32_t i = 0; i <= UNREAD_USERS_MAX; i++)
		unread_spend(&unread, i, 1, BEGAN + i);
	assert_false(unread_is_suspect(&unread, 0, BEGAN + 20));
	for (uint32_t i = 1; i <= UNREAD_USERS_MAX; i++)
		assert_true(unread_is_suspect(&unread, i, BEGAN + 20));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_try_in_vain_doubles_the_wait_up_to_a_minute),
		TEST(what_is_not_tried_does_not_wait_longer),
		TEST(the_first_is_the_one_to_be_tried_next),
		TEST(there_is_an_end_to_the_places),
		TEST(one_part_in_twenty_of_the_time_is_lost_at_most),
		TEST(the_more_is_lost_the_less_is_waited),
		TEST(a_user_is_suspect_for_a_minute),
		TEST(of_many_users_the_last_ones_are_suspect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
