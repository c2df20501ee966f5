/* SPDX-License-Identifier: GPL-2.0-only */
/* What each uid has used of the bridge and, through it, of the daemon, so that nobody takes another's share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What may be used: by one uid, and by all together, since one user may own thousands of uids (subuid(5)). A message
 * costs message_us. Time of the daemon costs daemon_times as much, because the daemon's priority is above all others.
 * In the long run, costs are paid back as fast as time goes by; ACCOUNT_BURST_US may be owed.
 */
struct account_share {
	unsigned calls; /* unanswered at a time */
	unsigned asked; /* of these, in the daemon */
	uint64_t message_us, daemon_times;
};
#define ACCOUNT_BURST_US 4000000
#define ACCOUNT_OF_UID	 ((struct account_share){ .calls = 16, .asked = 1, .message_us = 10000, .daemon_times = 10 })
#define ACCOUNT_OF_ALL	 ((struct account_share){ .calls = 1024, .asked = 64, .message_us = 2500, .daemon_times = 5 })

/* The time of the daemon that is charged before it works. The difference is charged with the answer. */
#define ACCOUNT_AHEAD_US 5000

struct account {
	struct account *next;
	uid_t uid;
	unsigned calls, asked;
	uint64_t free_us; /* when all that was used will be paid back */
};

struct accounts {
	struct account all, *each;
};

/* Times are of CLOCK_MONOTONIC. Each of these returns 0, -EAGAIN if too much is owed for now, or as below. */

/* Charges a message from that uid. Or -ENOMEM. */
int account_message(struct accounts *accounts, uid_t uid, uint64_t now_us);

/* Opens a call. -EBUSY: too many are not answered yet; or -ENOMEM. */
int account_begin(struct accounts *accounts, uid_t uid, uint64_t now_us, struct account **ret);

/* Charges the question to the daemon ahead. -EBUSY: another one is in the daemon, wait for its answer. */
int account_ask(struct accounts *accounts, struct account *account, uint64_t now_us);

/* Charges the time that the daemon has worked for the question, in place of the charge ahead. */
void account_answered(struct accounts *accounts, struct account *account, uint64_t now_us, uint64_t daemon_us);

/* Charges time of the daemon that belongs to no call. */
void account_spend(struct accounts *accounts, uid_t uid, uint64_t now_us, uint64_t daemon_us);

/* Closes a call. */
void account_end(struct accounts *accounts, struct account *account);

void accounts_free(struct accounts *accounts);
