/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of fuzz_plan: the events on the made-up machine of the unit tests, and how many of them the plan can have
 * booked and seen.
 */
#pragma once

#include "fuzz.h"

#include "../unit/fake_daemon.h"

#define TASKS_MAX 40
#define ASKED_MAX 6
#define N_CGROUPS 5

/* Besides root, these users request overrides. */
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
	SCAN, /* up to here events that the kernel reports */
	LOSE,
	RENICE,
	CHRT,
	REFUSE,
	IGNORE,
	MISS,
	CRASH,	   /* up to here events that it does not report */
	HEAR_SOME, /* decide, though more events are queued */
	SLICE,
	CLAMP,
	RESET,
	IONICE,	   /* up to here more choices of others */
	MOVE,	   /* the kernel reports this, too */
	CHANGE,
	OVERRIDE,  /* an override begins ... */
	LIFT,	   /* ... and ends */
	SEEN,	   /* the visibility of an app */
	KINDS
};

/* An override, and the process for which it was last requested. */
struct asked {
	uint16_t number;
	pid_t pid; /* 0: none */
};

struct run {
	struct input input;
	struct machine *m;
	pid_t next;
	pid_t unborn[TASKS_MAX];  /* tasks whose forks have begun but are not reported yet */
	pid_t parents[TASKS_MAX]; /* tasks in the middle of a fork */
	size_t n_unborn;
	struct asked asked[ASKED_MAX];
	size_t n_asked;
	size_t n_tasks;
	bool own;	/* the configuration was `own` all the time */
	bool alone;	/* only the plan has set attributes */
	bool everybody; /* all choices were possible without privilege */
	bool in_time;	/* the plan decided about nothing while more events waited */
	bool exact;	/* the plan received every event, in time, and every set was carried out */
};

/* ---- plan_machine.c ---- */

/* Starts the daemon on run->m. how: selects the kernel and the configuration. */
void run_begin(struct run *run, uint8_t how);

/* Makes an event of any kind but those of run_chooses. */
void run_happens(struct run *run, uint8_t kind);

void run_end_forks(struct run *run);
void run_hear_all(struct run *run);

/* Returns a task to act on, not the daemon and no kernel thread; 0 if there is none. */
pid_t run_some_task(struct run *run);

/* Returns a task that is not in the middle of a fork. Ends all forks if there is none, so it never returns 0. */
pid_t run_some_running(struct run *run);

extern const char *const run_cgroups[N_CGROUPS];

/* Returns whether the task carries attributes that its record does not show. */
bool run_is_unseen(struct run *run, const struct machine_task *task);

/*
 * Exempts these attributes of the task and its children: they may differ from those without a daemon; with MAY_CLIMB
 * they may also be more.
 */
#define EVERYTHING ((uint8_t)0x7f)
#define MAY_CLIMB  ((uint8_t)0x80)
void run_exempt(struct machine_task *task, uint8_t bits);

/* ---- plan_asked.c ---- */

/* Begins or ends an override of root or a user, and checks that all overrides are in force. */
void run_is_asked(struct run *run, uint8_t kind);

/* ---- plan_user.c ---- */

/* Lets somebody choose an attribute of a task. */
void run_chooses(struct run *run, uint8_t kind);
