/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two subscriptions read as one, in the order in which things happened. Execs and renames want an answer at once; a
 * fork wants none (the child is born rightly tagged) and only has to be known before the next exec or rename is
 * decided. So forks have a queue of their own that may fill for a while: a fork storm then wakes us a hundred times
 * a second, not twenty thousand times. A kernel without the event filter (before 6.6) has one queue for all.
 */
#pragma once

#include <schedqos/kernel/proc_connector.h>

struct intake;

enum intake_result {
	INTAKE_EVENT, /* *ret is filled in */
	INTAKE_EMPTY, /* nothing is queued */
	INTAKE_NOISE, /* a batch held nothing of use: ask again, if others need not have their turn first */
	INTAKE_LOST,  /* the kernel has dropped events; what is left can still be read */
	INTAKE_ERROR, /* *ret_error is set; nothing more for now */
};

/* Subscribes, and proves that each subscription is heard. Returns 0 or -errno as proc_connector_open and _prove. */
int intake_open(struct intake **ret);
void intake_close(struct intake *intake);

/* How many datagrams were not the kernel's. */
uint64_t intake_foreign(const struct intake *intake);

/* What to wait on. The fork queue's is -1 where there is only one queue. */
int intake_urgent_fd(const struct intake *intake);
int intake_fork_fd(const struct intake *intake);

/* Sleeps until something is queued, or this time has passed: all of it without an intake. */
void intake_wait(const struct intake *intake, int timeout_ms);

/* The next event by time: never a later one while an earlier one that could have caused it is unread. */
enum intake_result intake_next(struct intake *intake, struct proc_news *ret, int *ret_error);
