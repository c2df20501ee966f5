/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts what tasks use: hears of tasks that end, and asks about living tasks when a reader asks. It does so only while
 * there is a reader or the setting says so, because then the end of each task costs that task and us one or two
 * microseconds.
 */
#pragma once

#include <schedqos/kernel/taskstats.h>

#include "decider.h"
#include "sums.h"

/* Starts as all zeroes; then call accounting_init. */
struct accounting {
	struct decider *decider;
	bool is_begun;	  /* the first scan is over */
	unsigned readers; /* one bit for each */
	bool is_on;
	struct sums *sums;	 /* NULL if it was never on. Sums of classes stay when it is off */
	struct taskstats *stats; /* NULL if the kernel has none, or it is off */
	int error;		 /* 0, or the -errno because of which taskstats is not used */
	uint32_t received_ms;	 /* when records of ended tasks were taken, CLOCK_MONOTONIC, cut to 32 bits */
	bool has_delays, has_longest;
	uint64_t ended, lost;	 /* records; times that some were dropped */
	uint64_t busy_ns, at_ns; /* of the last look */
};

/* decider must outlive the accounting. */
void accounting_init(struct accounting *accounting, struct decider *decider);
void accounting_free(struct accounting *accounting);

/* Call it after the first scan: from then on the setting counts. */
void accounting_begin(struct accounting *accounting);

/* Call it when another configuration is in force. */
void accounting_follow_config(struct accounting *accounting);

/* Adds or removes a reader. Returns 0 or -ENOMEM. */
int accounting_set_reader(struct accounting *accounting, unsigned reader, bool begins);

/* Looks at every living task. Does nothing while accounting is off. */
void accounting_sample(struct accounting *accounting);

/* Takes queued records of ended tasks if it is time to. Call it after events were handled. */
void accounting_follow(struct accounting *accounting);

/* Takes all queued records. Call it before records of ended tasks are removed from the plan. */
void accounting_receive(struct accounting *accounting);

struct use_state accounting_state(const struct accounting *accounting);
