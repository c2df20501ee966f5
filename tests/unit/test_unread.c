/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes are to be tried again, and when; and whose are not tried for a while. */

#include "test.h"

#include "../../src/tagging/arguments.h"

/* Times wrap around in between. */
#define BEGAN (UINT32_MAX - 1000)

#define MINUTE 60000

static struct unread unread;

static int begin(void **state)
{
	(void)state;
	unread = (struct unread){ 0 };
	return 0;
}

static void each_try_in_vain_doubles_the_wait_up_to_a_minute(void **state)
{
	uint32_t ms = BEGAN, wait = 100;

	(void)state;
	assert_false(unread_is_waiting(&unread, 5, ms));
	for (int i = 0; i < 20; i++) {
		unread_note(&unread, 5, ms);
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
	assert_false(unread_has(&unread, 5));
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

static void they_are_tried_again_one_at_a_time(void **state)
{
	uint32_t ms;

	(void)state;
	assert_false(unread_next(&unread, &ms));
	unread_note(&unread, 6, BEGAN);
	unread_note(&unread, 5, BEGAN + 2000);
	unread_note(&unread, 7, BEGAN + 10);
	assert_true(unread_next(&unread, &ms));
	assert_int_equal(ms, BEGAN + 100);
	assert_int_equal(unread_retry(&unread, BEGAN + 120), 6);
	assert_int_equal(unread_retry(&unread, BEGAN + 120), 0);
	assert_true(unread_next(&unread, &ms));
	assert_int_equal(ms, BEGAN + 170);
	assert_int_equal(unread_retry(&unread, BEGAN + 170), 7);
	unread_forget(&unread, 6);
	unread_forget(&unread, 7);
	unread_forget(&unread, 99);
	assert_true(unread_next(&unread, &ms));
	assert_int_equal(ms, BEGAN + 2100);
}

static void there_is_an_end_to_the_places(void **state)
{
	(void)state;
	for (int i = 0; i < UNREAD_MAX; i++)
		unread_note(&unread, 100 + i, BEGAN);
	unread_note(&unread, 5, BEGAN);
	assert_false(unread_has(&unread, 5));
	unread_note(&unread, 100, BEGAN + 100);
	unread_forget(&unread, 200);
	unread_note(&unread, 5, BEGAN);
	assert_true(unread_has(&unread, 5));
	assert_true(unread_is_waiting(&unread, 100 + UNREAD_MAX - 1, BEGAN));
}

static void a_retry_that_comes_to_nothing_is_the_last(void **state)
{
	(void)state;
	unread_note(&unread, 5, BEGAN);
	assert_int_equal(unread_retry(&unread, BEGAN + 99), 0);
	assert_int_equal(unread_retry(&unread, BEGAN + 100), 5);
	assert_false(unread_is_waiting(&unread, 5, BEGAN + 100));
	assert_int_equal(unread_retry(&unread, BEGAN + 101), 0);
	/* It was in vain. */
	unread_note(&unread, 5, BEGAN + 140);
	assert_true(unread_is_waiting(&unread, 5, BEGAN + 339));
	assert_int_equal(unread_retry(&unread, BEGAN + 340), 5);
	/* Nobody asks for its arguments any more. */
	assert_int_equal(unread_retry(&unread, BEGAN + 340 + MINUTE), 0);
	assert_false(unread_has(&unread, 5));
}

static void whose_process_hangs_is_left_alone_for_a_while(void **state)
{
	(void)state;
	assert_false(unread_any_off(&unread, BEGAN));
	for (uint32_t ms = BEGAN; ms != BEGAN + 2000; ms += 100) {
		assert_false(unread_is_off(&unread, 1000, ms));
		unread_hung(&unread, 1000, ms);
		assert_true(unread_any_off(&unread, ms));
		assert_true(unread_is_off(&unread, 1000, ms + 99));
		assert_false(unread_is_off(&unread, 1000, ms + 100));
		assert_false(unread_is_off(&unread, 1001, ms));
	}
}

static void of_too_many_users_the_one_who_is_free_first_is_forgotten(void **state)
{
	(void)state;
	unread_hung(&unread, 0, BEGAN + 9);
	for (uint32_t i = 1; i <= UNREAD_USERS_MAX; i++)
		unread_hung(&unread, i, BEGAN + 10);
	assert_false(unread_is_off(&unread, 0, BEGAN + 11));
	for (uint32_t i = 1; i <= UNREAD_USERS_MAX; i++)
		assert_true(unread_is_off(&unread, i, BEGAN + 11));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_try_in_vain_doubles_the_wait_up_to_a_minute),
		TEST(what_is_not_tried_does_not_wait_longer),
		TEST(they_are_tried_again_one_at_a_time),
		TEST(there_is_an_end_to_the_places),
		TEST(a_retry_that_comes_to_nothing_is_the_last),
		TEST(whose_process_hangs_is_left_alone_for_a_while),
		TEST(of_too_many_users_the_one_who_is_free_first_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
