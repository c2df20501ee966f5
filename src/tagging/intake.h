/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several subscriptions read as one, in the order in which things happened. Execs want an answer at once; a fork wants none
 * (the child is born rightly tagged) and only has to be known before the next exec or rename is decided. So forks have a
 * queue of their own that may fill for a while: a fork storm then wakes us a hundred times a second, not twenty thousand
 * times. Renames cost their author less than they cost us, and are of use only to some rules: they have a queue that can be
 * closed.
 */
#pragma once

#include <schedqos/kernel/proc_connector.h>

enum intake_queue {
	INTAKE_EXECS,
	INTAKE_FORKS,
	INTAKE_NAMES, /* closed at first */
	INTAKE_QUEUES,
};

struct intake;

enum intake_result {
	INTAKE_EVENT, /* *ret is filled in */
	INTAKE_EMPTY, /* nothing is queued */
	INTAKE_NOISE, /* a batch held nothing of use: ask again, if others need not have their turn first */
	INTAKE_LOST,  /* the kernel has dropped events; what is left can still be read */
	INTAKE_LOST_NAMES, /* it has dropped renames only */
	INTAKE_ERROR, /* *ret_error is set; nothing more for now */
};

/* Subscribes to execs and forks, and proves that the kernel tells. Returns 0 or -errno as proc_connector_open and _prove. */
int intake_open(struct intake **ret);
void intake_close(struct intake *intake);

/* Subscribes to renames, or no longer; what was queued of them is dropped. 0 or -errno as proc_connector_open. */
int intake_hear_names(struct intake *intake, bool hear);

/* How many datagrams were not the kernel's. */
uint64_t intake_foreign(const struct intake *intake);

/* What to wait on. -1 of a queue that is closed. */
int intake_fd(const struct intake *intake, enum intake_queue queue);

/* Sleeps until something is queued, or this time has passed: all of it without an intake. */
void intake_wait(const struct intake *intake, int timeout_ms);

/* The next event by time: never a later one while an earlier one that could have caused it is unread. */
enum intake_result intake_next(struct intake *intake, struct task_event *ret, int *ret_error);
