/* SPDX-License-Identifier: GPL-2.0-only */
/* What each uid has used of the bridge, so that none takes another's share. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Calls of a uid that are not answered yet. */
#define ACCOUNT_CALLS 16

/* It may make a call for each of these, in the long run, and as many at once as make up the other. */
#define ACCOUNT_CALL_US 10000
#define ACCOUNT_BURST_US 4000000

/* And what the daemon works for it counts so many times: that goes before all else on the machine. */
#define ACCOUNT_DAEMON 10

struct account {
	struct account *next;
	uid_t uid;
	unsigned calls;	  /* not answered yet */
	uint64_t free_us; /* when all that it has used will be made up for */
};

/*
 * Takes a call from the uid's account among all. now_us: CLOCK_MONOTONIC. 0; -EBUSY: too many are not answered;
 * -EAGAIN: too many for now; or -ENOMEM.
 */
int account_take(struct account **all, uid_t uid, uint64_t now_us, struct account **ret);

/* One is answered, for which the daemon has worked so long. */
void account_return(struct account *account, uint64_t daemon_us);

void accounts_free(struct account *all);
