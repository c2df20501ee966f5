/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies when a process that was decided about without its arguments is matched again. */
#include "test.h"

#include "../../src/tagging/deferred.h"

TEST(a_process_is_taken_after_a_while_in_the_order_of_time)
{
	struct deferred deferred = { 0 };
	uint32_t ms;

	assert_false(deferred_next(&deferred, &ms));
	deferred_note(&deferred, 100, 1000);
	deferred_note(&deferred, 101, 1010);
	assert_int_equal(deferred_take(&deferred, 1019, false), 0);
	assert_int_equal(deferred_take(&deferred, 1020, false), 100);
	assert_int_equal(deferred_take(&deferred, 1020, false), 0);
	assert_true(deferred_next(&deferred, &ms));
	assert_int_equal(ms, 1060);
	assert_int_equal(deferred_take(&deferred, 1030, false), 101);
	assert_false(deferred_next(&deferred, &ms));
}

TEST(a_drain_takes_all_at_once)
{
	struct deferred deferred = { 0 };

	deferred_note(&deferred, 100, 1000);
	deferred_note(&deferred, 101, 1000);
	assert_int_equal(deferred_take(&deferred, 1000, true), 100);
	assert_int_equal(deferred_take(&deferred, 1000, true), 101);
	assert_int_equal(deferred_take(&deferred, 1000, true), 0);
}

/* Otherwise a shell's wait would count for the program that replaces it. */
TEST(another_exec_begins_the_time_anew)
{
	struct deferred deferred = { 0 };

	deferred_note(&deferred, 100, 1000);
	deferred_note(&deferred, 101, 1005);
	deferred_note(&deferred, 100, 1015);
	assert_int_equal(deferred_take(&deferred, 1025, false), 101);
	assert_int_equal(deferred_take(&deferred, 1025, false), 0);
	assert_int_equal(deferred_take(&deferred, 1035, false), 100);
}

TEST(the_time_may_wrap)
{
	struct deferred deferred = { 0 };

	deferred_note(&deferred, 100, UINT32_MAX - 5);
	assert_int_equal(deferred_take(&deferred, UINT32_MAX, false), 0);
	assert_int_equal(deferred_take(&deferred, 14, false), 100);
}

TEST(there_is_room_for_so_many)
{
	struct deferred deferred = { 0 };

	for (pid_t tgid = 1; tgid <= DEFERRED_MAX; tgid++) {
		assert_true(deferred_has_room(&deferred));
		deferred_note(&deferred, tgid, 1000);
	}
	assert_false(deferred_has_room(&deferred));
}
