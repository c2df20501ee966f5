/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of fuzz_plan: what happens on the made-up machine of the unit tests, and how much of it the plan can have
 * heard and seen.
 */
#pragma once

#include "fuzz.h"

#include "../unit/fake_daemon.h"

#define TASKS_MAX     40
#define OVERRIDES_MAX 6

enum {
	FORK,
	CLONE,
	BEGIN,
	EXEC,
	RENAME,
	EXIT,
	PASS,
	HEAR,
	DEAF,
	RELOAD,
	SCAN, /* what the kernel tells */
	LOSE,
	RENICE,
	CHRT,
	REFUSE,
	IGNORE,
	MISS,
	CRASH,	   /* what it does not */
	HEAR_SOME, /* and then decide, though more is queued already */
	SLICE,
	CLAMP,
	RESET,
	IONICE,	   /* more that others choose */
	MOVE,	   /* what the kernel tells, too */
	CHANGE,
	OVERRIDE,  /* asked for at run time ... */
	LIFT,	   /* ... and no longer */
	KINDS
};

struct run {
	struct input input;
	struct machine *m;
	pid_t next;
	pid_t unborn[TASKS_MAX];  /* their forks have begun, and are not announced yet */
	pid_t parents[TASKS_MAX]; /* in the middle of a fork */
	size_t n_unborn;
	uint16_t overrides[OVERRIDES_MAX];
	size_t n_overrides;
	size_t n_tasks;
	bool own;	/* the configuration is that, all the time */
	bool alone;	/* only the plan has set attributes */
	bool everybody; /* all choices were possible without privilege */
	bool in_time;	/* it decided about nothing while more events waited */
	bool exact;	/* the plan received every event, in time, and every set was carried out */
};

/* ---- plan_machine.c ---- */

/* Starts the daemon on run->m. how: which kernel, which configuration. */
void run_begin(struct run *run, uint8_t how);

/* A kind of event for which run_chooses is not meant. */
void run_happens(struct run *run, uint8_t kind);

void run_end_forks(struct run *run);
void run_hear_all(struct run *run);

/* A task to act on: not the daemon, not a kernel thread. 0 if there is none. */
pid_t run_some_task(struct run *run);

/* Whether it carries what its record does not show. */
bool run_is_unseen(struct run *run, const struct machine_task *task);

/* What task and its children carry in these attributes need not be as without a daemon; nor, with MAY_CLIMB, as little. */
#define EVERYTHING ((uint8_t)0x7f)
#define MAY_CLIMB  ((uint8_t)0x80)
void run_exempt(struct machine_task *task, uint8_t bits);

/* ---- plan_user.c ---- */

/* Somebody chooses an attribute of a task. */
void run_chooses(struct run *run, uint8_t kind);
