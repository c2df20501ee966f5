/* SPDX-License-Identifier: GPL-2.0-only */
/* What a uid may have of the bridge, with times made up. */

#include "test.h"

#include <errno.h>

#include "../../src/bridge/accounts.h"

#define BURST (ACCOUNT_BURST_US / ACCOUNT_CALL_US)
#define LATER (100 * 1000000ULL)

/* Calls that are answered at once, until one is refused. */
static unsigned take_all(struct accounts *accounts, uid_t uid, unsigned cost, uint64_t now_us)
{
	unsigned count = 0;

	while (account_take(accounts, uid, cost, now_us) == 0) {
		account_return(accounts, uid);
		count++;
	}
	return count;
}

static void a_uid_has_a_rate_and_a_reserve(void **state)
{
	struct accounts accounts = { 0 };

	(void)state;
	assert_int_equal(take_all(&accounts, 7, 1, LATER), BURST);
	assert_int_equal(account_take(&accounts, 7, 1, LATER), -EAGAIN);
	/* It comes back at the rate, and no more of it than there was. */
	assert_int_equal(take_all(&accounts, 7, 1, LATER + 10 * ACCOUNT_CALL_US), 10);
	assert_int_equal(take_all(&accounts, 7, 1, LATER * 2), BURST);
	assert_int_equal(take_all(&accounts, 7, 20, LATER * 3), BURST / 20);
	accounts_free(&accounts);
}

static void none_takes_anothers_share(void **state)
{
	struct accounts accounts = { 0 };

	(void)state;
	for (uid_t uid = 1; uid < 100; uid++)
		assert_int_equal(take_all(&accounts, uid, 1, LATER), BURST);
	assert_int_equal(account_take(&accounts, 1, 1, LATER), -EAGAIN);
	assert_int_equal(account_take(&accounts, 100, 1, LATER), 0);
	accounts_free(&accounts);
}

static void calls_without_an_answer_are_few(void **state)
{
	struct accounts accounts = { 0 };

	(void)state;
	for (unsigned i = 0; i < ACCOUNT_CALLS; i++)
		assert_int_equal(account_take(&accounts, 7, 1, LATER), 0);
	assert_int_equal(account_take(&accounts, 7, 1, LATER), -EBUSY);
	/* Time is no answer. */
	assert_int_equal(account_take(&accounts, 7, 1, LATER * 2), -EBUSY);
	assert_int_equal(account_take(&accounts, 8, 1, LATER * 2), 0);
	account_return(&accounts, 7);
	assert_int_equal(account_take(&accounts, 7, 1, LATER * 2), 0);
	accounts_free(&accounts);
}

static void whoever_is_as_good_as_new_is_forgotten(void **state)
{
	struct accounts accounts = { 0 };

	(void)state;
	for (uid_t uid = 1; uid < 1000; uid++)
		take_all(&accounts, uid, 1, uid * LATER);
	assert_int_equal(accounts.count, 1);
	accounts_free(&accounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_uid_has_a_rate_and_a_reserve),
		cmocka_unit_test(none_takes_anothers_share),
		cmocka_unit_test(calls_without_an_answer_are_few),
		cmocka_unit_test(whoever_is_as_good_as_new_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
