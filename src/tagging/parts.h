/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tagger and its parts. Each part has a header of its own and knows only those above it in struct tagger. The
 * tagger's own files form layers, and each calls only files below it in this list:
 *
 *	tagger.c	the public functions
 *	loop.c		wakes the parts: queues of events, requests, the timer
 *	overrides.c	puts overrides in force, and ends them
 *	keep.c		the state file: written, taken over
 *	offline.c	a tagger without loop and events
 *	undo.c		puts everything back
 *	scan.c		books every task in /proc
 *
 * A file that needs something from above it notes that in `later`, and the loop does it.
 */
#pragma once

#include <limits.h>

#include <schedqos/tagging/tagger.h>

#include "accounting.h"
#include "decider.h"
#include "heard.h"
#include "intake.h"
#include "later.h"
#include "state.h"
#include "tally.h"

struct tagger {
	sd_event *event; /* the owner's; NULL without a loop */
	int proc;	 /* the owner's, or without a loop our own */
	struct tally tally;
	struct later later;
	struct intake *intake; /* NULL without a loop */
	struct decider decider;
	struct heard heard;
	struct accounting accounting;

	/* loop.c */
	int epoll; /* of the intake and of event: see tagger_loop */
	sd_event_source *timer;
	uint32_t timer_ms; /* when it fires, if set; CLOCK_MONOTONIC, cut to 32 bits */
	bool timer_is_set;

	/* scan.c */
	size_t sweep_at;	 /* number of records at which those of ended tasks are removed */
	uint64_t records_failed; /* plan_failed at the last scan_shortage */

	/* keep.c */
	int folder; /* the runtime folder's descriptor, or a -errno */
	struct state *state;
	bool undone; /* everything has been put back */
};

/* ---- loop.c ---- */

/* Adds the timer, the source that later_wake enables, and the epoll instance. Returns 0 or -errno. */
int loop_init(struct tagger *tagger);
/* Opens the intake. Returns 0 or -errno, as proc_connector_open does. */
int loop_listen(struct tagger *tagger);
void loop_free(struct tagger *tagger);

/* ---- keep.c ---- */

/*
 * Makes the plan, with the records of a killed daemon. Returns 0, -ENOMEM, or another -errno if there is a file that
 * cannot be read now, which has been logged: it stays, and nothing may be set.
 */
int keep_init(struct tagger *tagger, const struct config *config);

/* Renames the file if everything has been put back. Call it after the plan has been freed. */
void keep_free(struct tagger *tagger);

/* ---- offline.c ---- */

/*
 * Puts back tasks of a daemon that has ended, or tasks that have outlasted its stop. Returns false if something is
 * left, after logging the reason.
 */
bool restore_from(const struct state_legacy *legacy, bool *ret_done);

void offline_free(struct tagger *tagger);

/* ---- undo.c ---- */

/* Puts everything back, including tasks born meanwhile. Returns the number of tasks put back. */
uint64_t undo_all(struct tagger *tagger);

/* ---- scan.c ---- */

/* Books every task in /proc, until no unknown one is left, and has them decided. */
void scan_all(struct tagger *tagger);

/*
 * Joins the process of an override to it, and all its descendants if the override covers a tree. Returns 0 or -errno:
 * -ESRCH if there is no such process, or we never touch it.
 */
int scan_join(struct tagger *tagger, uint16_t number);

/* Joins processes to all limits that ended ones may have masked. Returns 0 or -errno. */
int scan_rejoin(struct tagger *tagger);

/*
 * Completes the visibility of a user's app: its cgroup, if that contains only the app and no shell, and its terminal. A
 * process of the session itself is never hidden and never has the focus. Returns 0 or -errno.
 */
int scan_app(struct tagger *tagger, pid_t pid, uid_t uid, struct visibility *app, char path[PATH_MAX]);

/* Returns the -errno of a shortage since the last call, by which tasks were not looked at or have no record; or 0. */
int scan_shortage(struct tagger *tagger);

/* Removes the records of ended tasks, since no event reports exits. */
void scan_sweep(struct tagger *tagger);
