/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What others change on tasks: subscribed to while a rule enforces its class, since that makes every system call of the
 * machine a little slower. A thread can set its own nice value some millions of times a second, so in a flood changes
 * are left unread for a while, and then every task that a rule enforces is looked at.
 */
#pragma once

#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>

#include "flood.h"
#include "pace.h"

struct changes {
	enum tagger_changes how;
	struct pace pace;
	struct flood flood;
	sd_event_source *pause;	 /* owned by the loop: ends a pause */
	sd_event_source *truces; /* owned by the loop: the next truce is over (see plan_end_truces) */
	struct tagger_opponent opponents[TAGGER_OPPONENTS_MAX];
	size_t n_opponents;
	uint32_t told_ms, warned_ms; /* when somebody's first change was last logged, and a fight */
};

/* Subscribes if a rule in force enforces, else unsubscribes. Call it when that may have changed. */
void changes_update(struct tagger *tagger);

/* Subscribes anew, if it is subscribed. What changes meanwhile has to be found. */
void changes_renew(struct tagger *tagger);

/* Unsubscribes, and ends a pause and all truces. */
void changes_close(struct tagger *tagger);

/* Counts a change, before it is booked; fills in what the caller's PID namespace makes of it. Too many start a pause. */
void changes_count(struct tagger *tagger, struct task_event *change);

/* The kernel has dropped changes: starts a pause. */
void changes_lost(struct tagger *tagger);

/* Ends a pause, and has the tasks looked at that rules enforce. */
void changes_resume(struct tagger *tagger);

/* Counts and logs that a change was put back. */
void changes_put_back(struct tagger *tagger, const struct plan_action *action);

/* Marks as due what was left to others long enough, and sets the timer for the next. */
void changes_end_truces(struct tagger *tagger);
