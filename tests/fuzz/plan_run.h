/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of fuzz_plan: what happens on the made-up machine of the unit tests, and how much of it the plan can have
 * heard and seen.
 */
#pragma once

#include "fuzz.h"

#include "../unit/fake_daemon.h"

#define TASKS_MAX 40
#define ASKED_MAX 6
#define N_CGROUPS 5

/* Who may ask for something, beside root. */
#define ALICE 1000
#define BOB   1001

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
	SEEN,	   /* what is seen of an app */
	KINDS
};

/* An override, and the process that it was last asked for. */
struct asked {
	uint16_t number;
	pid_t pid; /* 0: none */
};

struct run {
	struct input input;
	struct machine *m;
	pid_t next;
	pid_t unborn[TASKS_MAX];  /* their forks have begun, and are not announced yet */
	pid_t parents[TASKS_MAX]; /* in the middle of a fork */
	size_t n_unborn;
	struct asked asked[ASKED_MAX];
	size_t n_asked;
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

/* One that is not in the middle of a fork; never 0: at the worst, all forks end. */
pid_t run_some_running(struct run *run);

extern const char *const run_cgroups[N_CGROUPS];

/* Whether it carries what its record does not show. */
bool run_is_unseen(struct run *run, const struct machine_task *task);

/*
 * What task and its children carry in these attributes need not be as without a daemon; nor, with MAY_CLIMB, as little.
 */
#define EVERYTHING ((uint8_t)0x7f)
#define MAY_CLIMB  ((uint8_t)0x80)
void run_exempt(struct machine_task *task, uint8_t bits);

/* ---- plan_asked.c ---- */

/* Root or a user asks for something at run time, or does no longer: what was asked for has to hold. */
void run_is_asked(struct run *run, uint8_t kind);

/* ---- plan_user.c ---- */

/* Somebody chooses an attribute of a task. */
void run_chooses(struct run *run, uint8_t kind);
