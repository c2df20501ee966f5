/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits how much one user, and all users together, can ask of the daemon through the bridge. */
#include "accounts.h"

#include <errno.h>
#include <stdlib.h>

static bool is_unused(const struct account *account, uint64_t now_us)
{
	return !account->calls && account->free_us <= now_us;
}

/*
 * Returns the uid's account, and makes it if needed, in place of an unused one if possible. Returns NULL if out of
 * memory.
 */
static struct account *get_account(struct accounts *accounts, uid_t uid, uint64_t now_us)
{
	struct account *unused = NULL;

	for (struct account *account = accounts->each; account; account = account->next) {
		if (account->uid == uid)
			return account;
		if (is_unused(account, now_us))
			unused = account;
	}
	if (!unused) {
		unused = calloc(1, sizeof(*unused));
		if (!unused)
			return NULL;
		unused->next = accounts->each;
		accounts->each = unused;
	}
	unused->uid = uid;
	return unused;
}

static bool can_pay(const struct account *account, struct account_share share, uint64_t now_us, uint64_t cost_us)
{
	const uint64_t owed_us = account->free_us > now_us ? account->free_us - now_us : 0;

	return owed_us + cost_us + account->asked * ACCOUNT_AHEAD_US * share.daemon_times <= ACCOUNT_BURST_US;
}

static void pay(struct account *account, uint64_t now_us, uint64_t cost_us)
{
	if (account->free_us < now_us)
		account->free_us = now_us;
	account->free_us += cost_us;
}

/* Check the common account first: if it is overdrawn, a new uid gets no memory. */
int account_message(struct accounts *accounts, uid_t uid, uint64_t now_us)
{
	struct account *account;

	if (!can_pay(&accounts->all, ACCOUNT_OF_ALL, now_us, ACCOUNT_OF_ALL.message_us) && !accounts->is_at_seat(uid))
		return -EAGAIN;
	account = get_account(accounts, uid, now_us);
	if (!account)
		return -ENOMEM;
	if (!can_pay(account, ACCOUNT_OF_UID, now_us, ACCOUNT_OF_UID.message_us))
		return -EAGAIN;
	pay(account, now_us, ACCOUNT_OF_UID.message_us);
	pay(&accounts->all, now_us, ACCOUNT_OF_ALL.message_us);
	return 0;
}

int account_begin(struct accounts *accounts, uid_t uid, uint64_t now_us, struct account **ret)
{
	struct account *account = get_account(accounts, uid, now_us);

	if (!account)
		return -ENOMEM;
	if (account->calls >= ACCOUNT_OF_UID.calls ||
	    (accounts->all.calls >= ACCOUNT_OF_ALL.calls && !accounts->is_at_seat(uid)))
		return -EBUSY;
	account->calls++;
	accounts->all.calls++;
	*ret = account;
	return 0;
}

int account_ask(struct accounts *accounts, struct account *account, uint64_t now_us)
{
	if (account->asked >= ACCOUNT_OF_UID.asked)
		return -EBUSY;
	if (!can_pay(account, ACCOUNT_OF_UID, now_us, ACCOUNT_AHEAD_US * ACCOUNT_OF_UID.daemon_times))
		return -EAGAIN;
	if ((accounts->all.asked >= ACCOUNT_OF_ALL.asked ||
	     !can_pay(&accounts->all, ACCOUNT_OF_ALL, now_us, ACCOUNT_AHEAD_US * ACCOUNT_OF_ALL.daemon_times)) &&
	    !accounts->is_at_seat(account->uid))
		return -EAGAIN;
	account->asked++;
	accounts->all.asked++;
	return 0;
}

void account_answered(struct accounts *accounts, struct account *account, uint64_t now_us, uint64_t daemon_us)
{
	account->asked--;
	accounts->all.asked--;
	account_spend(accounts, account->uid, now_us, daemon_us);
}

void account_spend(struct accounts *accounts, uid_t uid, uint64_t now_us, uint64_t daemon_us)
{
	struct account *account = get_account(accounts, uid, now_us);

	if (daemon_us > ACCOUNT_SPENT_MAX_US)
		daemon_us = ACCOUNT_SPENT_MAX_US;
	if (account)
		pay(account, now_us, daemon_us * ACCOUNT_OF_UID.daemon_times);
	pay(&accounts->all, now_us, daemon_us * ACCOUNT_OF_ALL.daemon_times);
}

void account_end(struct accounts *accounts, struct account *account)
{
	account->calls--;
	accounts->all.calls--;
}

void accounts_free(struct accounts *accounts)
{
	while (accounts->each) {
		struct account *next = accounts->each->next;

		free(accounts->each);
		accounts->each = next;
	}
}
