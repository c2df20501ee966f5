/* SPDX-License-Identifier: GPL-2.0-only */
#include "accounts.h"

#include <errno.h>
#include <stdlib.h>

static struct account *find(const struct accounts *accounts, uid_t uid)
{
	for (size_t i = 0; i < accounts->count; i++) {
		if (accounts->all[i].uid == uid)
			return &accounts->all[i];
	}
	return NULL;
}

/* The uid's; or else in the place of one that is as good as new; or a new one. */
static struct account *get(struct accounts *accounts, uid_t uid, uint64_t now_us)
{
	struct account *account = find(accounts, uid), *all;

	for (size_t i = 0; i < accounts->count && !account; i++) {
		if (!accounts->all[i].calls && accounts->all[i].free_us <= now_us)
			account = &accounts->all[i];
	}
	if (!account) {
		all = reallocarray(accounts->all, accounts->count + 1, sizeof(*all));
		if (!all)
			return NULL;
		accounts->all = all;
		account = &all[accounts->count++];
		*account = (struct account){ 0 };
	}
	account->uid = uid;
	return account;
}

int account_take(struct accounts *accounts, uid_t uid, uint64_t now_us)
{
	struct account *account = get(accounts, uid, now_us);

	if (!account)
		return -ENOMEM;
	if (account->calls >= ACCOUNT_CALLS)
		return -EBUSY;
	if (account->free_us < now_us)
		account->free_us = now_us;
	if (account->free_us + ACCOUNT_CALL_US > now_us + ACCOUNT_BURST_US)
		return -EAGAIN;
	account->free_us += ACCOUNT_CALL_US;
	account->calls++;
	return 0;
}

void account_return(struct accounts *accounts, uid_t uid, uint64_t daemon_us)
{
	struct account *account = find(accounts, uid);

	if (!account)
		return;
	account->calls--;
	account->free_us += daemon_us * ACCOUNT_DAEMON;
}

void accounts_free(struct accounts *accounts)
{
	free(accounts->all);
	*accounts = (struct accounts){ 0 };
}
