/* SPDX-License-Identifier: GPL-2.0-only */
#include "accounts.h"

#include <errno.h>
#include <stdlib.h>

/* The uid's; or else in the place of one that is as good as new; or a new one. */
static struct account *get(struct account **all, uid_t uid, uint64_t now_us)
{
	struct account *unused = NULL;

	for (struct account *account = *all; account; account = account->next) {
		if (account->uid == uid)
			return account;
		if (!account->calls && account->free_us <= now_us)
			unused = account;
	}
	if (!unused) {
		unused = calloc(1, sizeof(*unused));
		if (!unused)
			return NULL;
		unused->next = *all;
		*all = unused;
	}
	unused->uid = uid;
	return unused;
}

int account_take(struct account **all, uid_t uid, uint64_t now_us, struct account **ret)
{
	struct account *account = get(all, uid, now_us);

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
	*ret = account;
	return 0;
}

void account_return(struct account *account, uint64_t daemon_us)
{
	account->calls--;
	account->free_us += daemon_us * ACCOUNT_DAEMON;
}

void accounts_free(struct account *all)
{
	while (all) {
		struct account *next = all->next;

		free(all);
		all = next;
	}
}
