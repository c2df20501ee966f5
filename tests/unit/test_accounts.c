/* SPDX-License-Identifier: GPL-2.0-only */
/* What a uid may have of the bridge, with times made up. */

#include "test.h"

#include <errno.h>

#include "../../src/bridge/accounts.h"

#define BURST (ACCOUNT_BURST_US / ACCOUNT_CALL_US)
#define LATER (100 * 1000000ULL)

/* Calls that are answered at once, until one is refused. */
static unsigned take_all(struct account **accounts, uid_t uid, uint64_t now_us)
{
	struct account *account;
	unsigned count = 0;

	while (account_take(accounts, uid, now_us, &account) == 0) {
		account_return(account, 0);
		count++;
	}
	return count;
}

TEST(a_uid_has_a_rate_and_a_reserve)
{
	struct account *accounts = NULL, *account;

	assert_int_equal(take_all(&accounts, 7, LATER), BURST);
	assert_int_equal(account_take(&accounts, 7, LATER, &account), -EAGAIN);
	/* It comes back at the rate, and no more of it than there was. */
	assert_int_equal(take_all(&accounts, 7, LATER + 10 * ACCOUNT_CALL_US), 10);
	assert_int_equal(take_all(&accounts, 7, LATER * 2), BURST);
	accounts_free(accounts);
}

TEST(what_the_daemon_works_counts_more)
{
	struct account *accounts = NULL, *account;

	assert_int_equal(account_take(&accounts, 7, LATER, &account), 0);
	account_return(account, 2 * ACCOUNT_BURST_US / ACCOUNT_DAEMON);
	assert_int_equal(account_take(&accounts, 7, LATER + ACCOUNT_BURST_US, &account), -EAGAIN);
	assert_int_equal(account_take(&accounts, 8, LATER, &account), 0);
	assert_int_equal(take_all(&accounts, 7, LATER + 2 * ACCOUNT_BURST_US), BURST - 1);
	accounts_free(accounts);
}

TEST(none_takes_anothers_share)
{
	struct account *accounts = NULL, *account;

	for (uid_t uid = 1; uid < 100; uid++)
		assert_int_equal(take_all(&accounts, uid, LATER), BURST);
	assert_int_equal(account_take(&accounts, 1, LATER, &account), -EAGAIN);
	assert_int_equal(account_take(&accounts, 100, LATER, &account), 0);
	accounts_free(accounts);
}

TEST(calls_without_an_answer_are_few)
{
	struct account *accounts = NULL, *account, *seven;

	for (unsigned i = 0; i < ACCOUNT_CALLS; i++)
		assert_int_equal(account_take(&accounts, 7, LATER, &account), 0);
	seven = account;
	assert_int_equal(account_take(&accounts, 7, LATER, &account), -EBUSY);
	/* Time is no answer. */
	assert_int_equal(account_take(&accounts, 7, LATER * 2, &account), -EBUSY);
	assert_int_equal(account_take(&accounts, 8, LATER * 2, &account), 0);
	account_return(seven, 0);
	assert_int_equal(account_take(&accounts, 7, LATER * 2, &account), 0);
	accounts_free(accounts);
}

TEST(whoever_is_as_good_as_new_is_forgotten)
{
	struct account *accounts = NULL;

	for (uid_t uid = 1; uid < 1000; uid++)
		take_all(&accounts, uid, uid * LATER);
	assert_null(accounts->next);
	accounts_free(accounts);
}
