/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how much one uid, and all uids together, may use of the daemon. The clock is made up. */

#include "test.h"

#include <errno.h>

#include "../../src/bridge/accounts.h"

#define OF_UID (ACCOUNT_BURST_US / ACCOUNT_OF_UID.message_us)
#define OF_ALL (ACCOUNT_BURST_US / ACCOUNT_OF_ALL.message_us)
#define LATER (100 * 1000000ULL)
#define SITTING 1000000

static bool is_at_seat(uid_t uid)
{
	return uid == SITTING;
}

static uint64_t send_all(struct accounts *accounts, uid_t uid, uint64_t now_us)
{
	uint64_t count = 0;

	while (account_message(accounts, uid, now_us) == 0)
		count++;
	return count;
}

static struct account *begin(struct accounts *accounts, uid_t uid)
{
	struct account *account;

	assert_int_equal(account_begin(accounts, uid, LATER, &account), 0);
	return account;
}

/* Charges the uid for a call on which the daemon works. */
static void work(struct accounts *accounts, uid_t uid, uint64_t now_us, uint64_t daemon_us)
{
	struct account *account;

	assert_int_equal(account_begin(accounts, uid, now_us, &account), 0);
	assert_int_equal(account_ask(accounts, account, now_us), 0);
	account_answered(accounts, account, now_us, daemon_us);
	account_end(accounts, account);
}

TEST(a_uid_has_a_rate_and_a_reserve)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };

	assert_int_equal(send_all(&accounts, 7, LATER), OF_UID);
	/* The reserve fills up again at the rate, and never beyond its size. */
	assert_int_equal(send_all(&accounts, 7, LATER + 10 * ACCOUNT_OF_UID.message_us), 10);
	assert_int_equal(send_all(&accounts, 7, LATER * 2), OF_UID);
	accounts_free(&accounts);
}

TEST(all_uids_together_have_a_rate_and_a_reserve)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };
	uint64_t sum = 0;
	size_t known = 0;

	for (uid_t uid = 1; uid < 65536; uid++)
		sum += send_all(&accounts, uid, LATER);
	assert_int_equal(sum, OF_ALL);
	for (struct account *account = accounts.each; account; account = account->next)
		known++;
	assert_int_equal(known, OF_ALL / OF_UID);
	assert_int_equal(send_all(&accounts, 70000, LATER + 10 * ACCOUNT_OF_ALL.message_us), 10);
	accounts_free(&accounts);
}

TEST(a_crowd_does_not_lock_out_a_user_at_a_seat)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };
	struct account *sitting, *standing = NULL, *ignored;

	for (uid_t uid = 1; uid <= OF_ALL / OF_UID; uid++)
		send_all(&accounts, uid, LATER);
	for (uid_t uid = 1; accounts.all.calls < ACCOUNT_OF_ALL.calls; uid++)
		standing = begin(&accounts, uid);
	assert_int_equal(account_message(&accounts, 70000, LATER), -EAGAIN);
	assert_int_equal(account_begin(&accounts, 70000, LATER, &ignored), -EBUSY);
	assert_int_equal(account_ask(&accounts, standing, LATER), -EAGAIN);
	sitting = begin(&accounts, SITTING);
	assert_int_equal(account_ask(&accounts, sitting, LATER), 0);
	account_answered(&accounts, sitting, LATER, 0);
	/* The limits of one uid hold. */
	assert_int_equal(send_all(&accounts, SITTING, LATER), OF_UID);
	assert_int_equal(account_ask(&accounts, sitting, LATER), -EAGAIN);
	accounts_free(&accounts);
}

TEST(a_refused_call_is_not_charged_to_all_uids)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };

	send_all(&accounts, 7, LATER);
	for (unsigned i = 0; i < 10 * OF_ALL; i++)
		assert_int_equal(account_message(&accounts, 7, LATER), -EAGAIN);
	assert_int_equal(send_all(&accounts, 8, LATER), OF_UID);
	accounts_free(&accounts);
}

TEST(the_daemon_s_time_is_charged_at_a_higher_rate)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };

	work(&accounts, 7, LATER, ACCOUNT_BURST_US / ACCOUNT_OF_UID.daemon_times);
	assert_int_equal(account_message(&accounts, 7, LATER), -EAGAIN);
	assert_int_equal(account_message(&accounts, 8, LATER), 0);
	account_spend(&accounts, 7, LATER, ACCOUNT_BURST_US / 2 / ACCOUNT_OF_UID.daemon_times);
	assert_int_equal(account_message(&accounts, 7, LATER + ACCOUNT_BURST_US / 4), -EAGAIN);
	assert_int_equal(send_all(&accounts, 7, LATER + 2 * ACCOUNT_BURST_US), OF_UID);
	for (unsigned i = 0; i < 3; i++)
		account_spend(&accounts, 8, LATER * 2, ACCOUNT_SPENT_MAX_US);
	assert_int_equal(account_message(&accounts, 9, LATER * 2), -EAGAIN);
	accounts_free(&accounts);
}

/* Others may have kept the daemon busy meanwhile. */
TEST(one_answer_costs_no_more_than_a_burst)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };

	work(&accounts, 7, LATER, 10 * ACCOUNT_BURST_US);
	assert_int_equal(account_message(&accounts, 7, LATER), -EAGAIN);
	assert_int_equal(account_message(&accounts, 8, LATER), 0);
	assert_int_equal(account_message(&accounts, 7, LATER + ACCOUNT_BURST_US / 2), 0);
	accounts_free(&accounts);
}

/* Otherwise many calls that are accepted before the first is answered could cost more than the reserve. */
TEST(the_daemon_s_time_is_charged_in_advance)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };
	struct account *first = begin(&accounts, 7), *second = begin(&accounts, 7);

	assert_int_equal(account_ask(&accounts, first, LATER), 0);
	assert_int_equal(send_all(&accounts, 7, LATER),
			 OF_UID - ACCOUNT_AHEAD_US * ACCOUNT_OF_UID.daemon_times / ACCOUNT_OF_UID.message_us);
	account_answered(&accounts, first, LATER, ACCOUNT_BURST_US);
	assert_int_equal(account_ask(&accounts, second, LATER), -EAGAIN);
	account_end(&accounts, first);
	account_end(&accounts, second);
	accounts_free(&accounts);
}

TEST(a_uid_has_at_most_one_question_with_the_daemon)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };
	struct account *first = begin(&accounts, 7), *second = begin(&accounts, 7), *other = begin(&accounts, 8);

	assert_int_equal(account_ask(&accounts, first, LATER), 0);
	assert_int_equal(account_ask(&accounts, second, LATER), -EBUSY);
	assert_int_equal(account_ask(&accounts, other, LATER), 0);
	account_answered(&accounts, first, LATER, 0);
	assert_int_equal(account_ask(&accounts, second, LATER), 0);
	accounts_free(&accounts);
}

TEST(the_number_of_unanswered_calls_is_limited)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };
	struct account *seven = NULL, *ignored;

	for (unsigned i = 0; i < ACCOUNT_OF_UID.calls; i++)
		seven = begin(&accounts, 7);
	assert_int_equal(account_begin(&accounts, 7, LATER, &ignored), -EBUSY);
	/* Waiting does not help: only an answer does. */
	assert_int_equal(account_begin(&accounts, 7, LATER * 2, &ignored), -EBUSY);
	assert_int_equal(account_begin(&accounts, 8, LATER * 2, &ignored), 0);
	account_end(&accounts, seven);
	assert_int_equal(account_begin(&accounts, 7, LATER * 2, &ignored), 0);
	for (uid_t uid = 100; accounts.all.calls < ACCOUNT_OF_ALL.calls; uid++)
		begin(&accounts, uid);
	assert_int_equal(account_begin(&accounts, 99, LATER, &ignored), -EBUSY);
	accounts_free(&accounts);
}

TEST(an_account_without_debts_is_replaced)
{
	struct accounts accounts = { .is_at_seat = is_at_seat };

	for (uid_t uid = 1; uid < 1000; uid++)
		send_all(&accounts, uid, uid * LATER);
	assert_null(accounts.each->next);
	accounts_free(&accounts);
}
