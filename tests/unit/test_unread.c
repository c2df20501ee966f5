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

#define TEST_UNREAD_TEST(name) TEST_IN(name, begin, NULL)

TEST_UNREAD_TEST(each_try_in_vain_doubles_the_wait_up_to_a_minute)
{
	uint32_t ms = BEGAN, wait = 100;

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

TEST_UNREAD_TEST(what_is_not_tried_does_not_wait_longer)
{
	unread_note(&unread, 5, BEGAN);
	unread_note(&unread, 5, BEGAN + 50);
	assert_false(unread_is_waiting(&unread, 5, BEGAN + 100));
}

TEST_UNREAD_TEST(they_are_tried_again_one_at_a_time)
{
	uint32_t ms;

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

TEST_UNREAD_TEST(there_is_an_end_to_the_places)
{
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

TEST_UNREAD_TEST(a_retry_that_comes_to_nothing_is_the_last)
{
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

TEST_UNREAD_TEST(whose_process_hangs_is_left_alone_for_a_while)
{
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

TEST_UNREAD_TEST(of_too_many_users_the_one_who_is_free_first_is_forgotten)
{
	unread_hung(&unread, 0, BEGAN + 9);
	for (uint32_t i = 1; i <= UNREAD_USERS_MAX; i++)
		unread_hung(&unread, i, BEGAN + 10);
	assert_false(unread_is_off(&unread, 0, BEGAN + 11));
	for (uint32_t i = 1; i <= UNREAD_USERS_MAX; i++)
		assert_true(unread_is_off(&unread, i, BEGAN + 11));
}
