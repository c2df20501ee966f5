/* SPDX-License-Identifier: GPL-2.0-only */
/* What reading about users' processes may cost: with a made-up clock and made-up costs. */
#include "test.h"

#include "../../src/tagging/spending.h"

#define MS 1000000ULL

/* Times wrap around in between. */
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

SPENDING_TEST(long_reads_soon_end_and_others_do_not_notice)
{
	/* As a scan comes upon 4,000 of them. */
	unsigned count = 0;

	for (int i = 0; i < 4000; i++)
		count += reads(1000, 17 * MS);
	assert_int_equal(count, 1);
	assert_false(spending_is_quiet(&spending, now_ms));
	for (int i = 0; i < 100; i++)
		assert_true(reads(1001, 45000));
}

SPENDING_TEST(in_the_long_run_they_take_less_than_two_percent)
{
	/* The first second has what is allowed at once. */
	reads_for(1000, 1000, 17 * MS);
	assert_in_range(reads_for(1000, 100000, 17 * MS) * 17, 1, 2000);
	assert_in_range(reads_for(1001, 100000, 2 * MS) * 2, 1, 2000);
}

SPENDING_TEST(less_than_two_percent_is_never_too_much)
{
	for (int i = 0; i < 1000; i++, now_ms += 500)
		assert_true(reads(1000, 9 * MS));
}

SPENDING_TEST(whoever_stops_is_read_about_again)
{
	reads(1000, 40 * MS);
	assert_false(reads(1000, 45000));
	now_ms += 999;
	assert_false(reads(1000, 45000));
	now_ms += 1;
	assert_true(reads(1000, 45000));
	/* Soon again is twice as long. */
	reads(1000, 40 * MS);
	now_ms += 1999;
	assert_false(reads(1000, 45000));
	now_ms += 1;
	assert_true(reads(1000, 45000));
	/* Much later it is not. */
	now_ms += 100000;
	reads(1000, 40 * MS);
	now_ms += 1000;
	assert_true(reads(1000, 45000));
}

SPENDING_TEST(one_user_does_not_hold_back_strangers)
{
	for (int i = 0; i < 1000; i++, now_ms += 10) {
		reads(1000, 29 * MS);
		assert_true(reads(2000 + i, 45000));
	}
}

/* Each of a user's 65,536 ids has one process. */
SPENDING_TEST(many_users_share_what_strangers_may_cost)
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

/* The same after cheap reads with each of them. */
SPENDING_TEST(nor_does_it_help_to_be_known)
{
	uint64_t count = 0;

	spending_note(&spending, 9, 10 * MS, now_ms);
	for (uid_t user = 100000; user < 165536; user++)
		assert_true(reads(user, 45000));
	for (uid_t user = 100000; user < 165536; user++)
		count += reads(user, 17 * MS);
	assert_in_range(count, 1, 6);
}

SPENDING_TEST(a_debt_is_not_forgotten_for_cheap_reads_of_others)
{
	reads(1000, 40 * MS);
	for (uid_t user = 2000; user < 3000; user++)
		reads(user, 45000);
	assert_false(reads(1000, 45000));
}

/* The machine stood still: a read of an ordinary file cannot take so long because of its owner. */
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

SPENDING_TEST(moves_without_end_are_not)
{
	moves_for(1000, 1000);
	assert_in_range(moves_for(1000, 100000), 1, 200 * 100);
	assert_true(spending_allows(&spending, 1001, now_ms));
}

SPENDING_TEST(moves_with_many_ids_are_not)
{
	unsigned count = 0;

	for (uid_t user = 100000; user < 165536; user++)
		count += moves_for(user, 1);
	assert_in_range(count, 1, 200 * 66 + 300);
}
