/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how much reading about users' processes may cost. Clock and costs are made up. */
#include "test.h"

#include "../../src/tagging/spending.h"

#define MS 1000000ULL

/* The clock wraps around during the tests. */
#define BEGAN (UINT32_MAX - 1000)

static struct spending spending;
static uint32_t now_ms;

static int begin(void **state)
{
	(void)state;
	spending = (struct spending){ 0 };
	now_ms = BEGAN;
	return 0;
}

#define SPENDING_TEST(name) TEST_IN(name, begin, NULL)

/* Reads about a process, if that is allowed. Returns whether it was. */
static bool reads(uid_t user, uint64_t ns)
{
	if (!spending_allows(&spending, user, now_ms))
		return false;
	if (spending_is_of_note(&spending, ns, now_ms))
		spending_note(&spending, user, ns, now_ms);
	return true;
}

/* Reads about processes of this user every millisecond for so long. Returns how many times that was allowed. */
static unsigned reads_for(uid_t user, uint32_t ms, uint64_t ns)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < ms; i++, now_ms++)
		count += reads(user, ns);
	return count;
}

SPENDING_TEST(cheap_reads_are_free)
{
	for (int i = 0; i < 100000; i++)
		assert_true(reads(1000, 45000));
	assert_true(spending_is_quiet(&spending, now_ms));
}

SPENDING_TEST(a_pause_does_not_end_early_because_of_many_users)
{
	assert_true(reads(1000, 17 * MS));
	/* The debt itself is paid by now; the pause goes on. */
	now_ms += 900;
	for (uid_t user = 2000; user < 2000 + SPENDERS_MAX; user++)
		spending_note(&spending, user, 0, now_ms);
	assert_false(reads(1000, 45000));
	now_ms += 200;
	assert_true(reads(1000, 45000));
}

SPENDING_TEST(long_reads_about_one_user_soon_end_and_do_not_affect_others)
{
	/* A scan finds 4,000 such processes. */
	unsigned count = 0;

	for (int i = 0; i < 4000; i++)
		count += reads(1000, 17 * MS);
	assert_int_equal(count, 1);
	assert_false(spending_is_quiet(&spending, now_ms));
	for (int i = 0; i < 100; i++)
		assert_true(reads(1001, 45000));
}

SPENDING_TEST(in_the_long_run_long_reads_take_less_than_two_percent)
{
	/* The first second uses up the reserve. */
	reads_for(1000, 1000, 17 * MS);
	assert_in_range(reads_for(1000, 100000, 17 * MS) * 17, 1, 2000);
	assert_in_range(reads_for(1001, 100000, 2 * MS) * 2, 1, 2000);
}

SPENDING_TEST(reads_below_two_percent_are_always_allowed)
{
	for (int i = 0; i < 1000; i++, now_ms += 500)
		assert_true(reads(1000, 9 * MS));
}

SPENDING_TEST(a_user_is_read_about_again_after_a_pause)
{
	reads(1000, 40 * MS);
	assert_false(reads(1000, 45000));
	now_ms += 999;
	assert_false(reads(1000, 45000));
	now_ms += 1;
	assert_true(reads(1000, 45000));
	/* The next pause is twice as long, because it follows soon. */
	reads(1000, 40 * MS);
	now_ms += 1999;
	assert_false(reads(1000, 45000));
	now_ms += 1;
	assert_true(reads(1000, 45000));
	/* Much later, the pause is short again. */
	now_ms += 100000;
	reads(1000, 40 * MS);
	now_ms += 1000;
	assert_true(reads(1000, 45000));
}

SPENDING_TEST(one_user_s_reads_do_not_affect_users_seen_for_the_first_time)
{
	for (int i = 0; i < 1000; i++, now_ms += 10) {
		reads(1000, 29 * MS);
		assert_true(reads(2000 + i, 45000));
	}
}

/* Each of a user's 65,536 ids has one process. */
SPENDING_TEST(ids_seen_for_the_first_time_share_an_allowance)
{
	unsigned count = 0;

	assert_true(reads(1, 45000));
	for (uid_t user = 100000; user < 165536; user++)
		count += reads(user, 17 * MS);
	assert_in_range(count, 1, 3);
	assert_true(reads(1, 45000));
	assert_false(reads(2, 45000));
	now_ms += 1000;
	assert_true(reads(2, 45000));
}

/* Each id is known by a cheap read before. */
SPENDING_TEST(known_ids_share_an_allowance_as_well)
{
	uint64_t count = 0;

	spending_note(&spending, 9, 10 * MS, now_ms);
	for (uid_t user = 100000; user < 165536; user++)
		assert_true(reads(user, 45000));
	for (uid_t user = 100000; user < 165536; user++)
		count += reads(user, 17 * MS);
	assert_in_range(count, 1, 6);
}

SPENDING_TEST(cheap_reads_of_others_do_not_clear_a_user_s_debt)
{
	reads(1000, 40 * MS);
	for (uid_t user = 2000; user < 3000; user++)
		reads(user, 45000);
	assert_false(reads(1000, 45000));
}

/* The machine stood still: the owner of an ordinary file cannot make its read take so long. */
SPENDING_TEST(short_files_are_free_however_long_they_take)
{
	assert_int_equal(reads_for(1000, 1000, spending_cost(100 * MS, 1500)), 1000);
	assert_true(spending_is_quiet(&spending, now_ms));
	assert_true(reads_for(1000, 1000, spending_cost(20 * MS, 1 << 16)) < 10);
}

/* One process of the user moves every millisecond for so long. Returns how many times it is matched again. */
static unsigned moves_for(uid_t user, uint32_t ms)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < ms; i++, now_ms++) {
		if (spending_allows(&spending, user, now_ms)) {
			spending_note_move(&spending, user, now_ms);
			count++;
		}
	}
	return count;
}

SPENDING_TEST(a_burst_of_moves_is_followed)
{
	for (int i = 0; i < 100; i++) {
		assert_true(spending_allows(&spending, 1000, now_ms));
		assert_false(spending_note_move(&spending, 1000, now_ms));
	}
}

SPENDING_TEST(endless_moves_are_not_followed)
{
	moves_for(1000, 1000);
	assert_in_range(moves_for(1000, 100000), 1, 200 * 100);
	assert_true(spending_allows(&spending, 1001, now_ms));
}

SPENDING_TEST(moves_by_many_ids_are_not_followed)
{
	unsigned count = 0;

	for (uid_t user = 100000; user < 165536; user++)
		count += moves_for(user, 1);
	assert_in_range(count, 1, 200 * 66 + 300);
}
