/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounts for what each uid has used of the bridge and, through it, of the daemon, so that no user can slow it down
 * for others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Limits of one uid, and of all together, because one user may own thousands of uids (subuid(5)). So that such a crowd
 * does not lock out the user at the machine, the limits of all do not hold for a uid at a seat. A message costs
 * message_us. The daemon disconnects a client that has 24 answers to read (bus.c), so fewer may be asked for at a time.
 * Time of the daemon costs daemon_times as much, because the daemon's priority is above all others. Debts
 * shrink as time passes; up to ACCOUNT_BURST_US may be owed.
 */
struct account_share {
	unsigned calls; /* unanswered at the same time */
	unsigned asked; /* of these, waiting for the daemon */
	uint64_t message_us, daemon_times;
};
#define ACCOUNT_BURST_US 4000000
#define ACCOUNT_OF_UID	 ((struct account_share){ .calls = 16, .asked = 1, .message_us = 10000, .daemon_times = 10 })
#define ACCOUNT_OF_ALL	 ((struct account_share){ .calls = 1024, .asked = 16, .message_us = 2500, .daemon_times = 5 })

/*
 * Time of the daemon that is charged in advance. The difference from the time that it took is charged with the answer.
 */
#define ACCOUNT_AHEAD_US 5000

/*
 * Longest time that is charged for one answer. Part of it may be the daemon's work on other users' tasks, for example
 * in a storm of execs. Without a maximum, that could keep the user out for a minute.
 */
#define ACCOUNT_SPENT_MAX_US 400000

struct account {
	struct account *next;
	uid_t uid;
	unsigned calls, asked;
	uint64_t free_us; /* when all costs will be paid back */
};

struct accounts {
	bool (*is_at_seat)(uid_t uid);
	struct account all, *each;
};

/* Times are of CLOCK_MONOTONIC. The first three functions return 0; -EAGAIN if too much is owed; or an error below. */

/* Charges a message from that uid. Also returns -ENOMEM. */
int account_message(struct accounts *accounts, uid_t uid, uint64_t now_us);

/* Opens a call. Also returns -EBUSY if too many are unanswered, or -ENOMEM; never -EAGAIN. */
int account_begin(struct accounts *accounts, uid_t uid, uint64_t now_us, struct account **ret);

/*
 * Charges a question to the daemon in advance. Also returns -EBUSY if another question of this uid is with the daemon:
 * wait for its answer.
 */
int account_ask(struct accounts *accounts, struct account *account, uint64_t now_us);

/* Charges the time that the daemon has worked on the question, and drops the charge in advance. */
void account_answered(struct accounts *accounts, struct account *account, uint64_t now_us, uint64_t daemon_us);

/* Charges time of the daemon that belongs to no call. */
void account_spend(struct accounts *accounts, uid_t uid, uint64_t now_us, uint64_t daemon_us);

/* Closes a call. */
void account_end(struct accounts *accounts, struct account *account);

void accounts_free(struct accounts *accounts);
