/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the tagger. At the bottom are those that know no struct tagger (intake, pace, apply,
 * live_facts, arguments, state ...). The others form layers, and each calls only what stands below it in this list:
 *
 *	tagger.c	the public functions; restore.c, undo without a loop; rehearsal.c, decisions without it
 *	loop.c		the event sources and their handlers
 *	overrides.c	puts overrides in force, and ends them
 *	keep.c		the state file: written, retried, taken over
 *	undo.c		puts everything back
 *	scan.c		books every task in /proc
 *	events.c	books events, has what is due decided in order, and carries that out
 *	names.c		subscribes to renames, or pauses that in a flood
 *	processors.c	subscribes anew for processors that come online
 *	moves.c		subscribes to moves between cgroups, or has processes looked at again
 *	changes.c	subscribes to changes of attributes, and reports what was put back
 *	shortage.c	descriptors or memory have run out
 *
 * A file that needs something from above it calls request_scan() or tagger_wake(), and the loop does it.
 *
 * How an exec event leads to attributes:
 *
 *	on_paced, handle, events_handle		loop.c, events.c	the loop is woken
 *	intake_next, proc_connector_receive	intake.c		recvmmsg, and the earliest event of all queues
 *	book, plan_book				events.c		the plan marks the task as due
 *	due_decide, plan_next, plan_decide	events.c		the plan asks for facts: live_facts.c reads /proc
 *	due_carry_out, applier_apply		events.c, apply.c	sched_setattr, and sched_getattr to read back
 *	plan_applied				events.c		the plan records the result, and it is counted
 */
#pragma once

#include <systemd/sd-event.h>

#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>

#include "apply.h"
#include "arguments.h"
#include "changes.h"
#include "intake.h"
#include "keep.h"
#include "live_facts.h"
#include "moves.h"
#include "names.h"
#include "pace.h"
#include "shortage.h"
#include "state.h"

enum tagger_problem {
	PROBLEM_LOST,	  /* the kernel dropped events */
	PROBLEM_RENAMES,  /* so many that they are ignored for a while */
	PROBLEM_CHANGES,  /* likewise */
	PROBLEM_REFUSED,  /* a sched_setattr was refused */
	PROBLEM_NOT_KEPT, /* the kernel did not keep what it accepted */
	PROBLEM_RECEIVE,  /* receiving failed in some other way */
	PROBLEM_SCAN,	  /* /proc could not be read */
	PROBLEM_SHORTAGE, /* no more descriptors, or no memory */
	PROBLEM_UNREAD,	  /* too many processes have unreadable arguments */
	PROBLEM_PATH,	  /* of a program or a cgroup, which is too long */
	PROBLEM_STATE,	  /* the state file does not hold everything */
	TAGGER_PROBLEMS,
};

/* What is due and waits for arguments, in the order of marking. */
#define WAITING_MAX QUESTIONS_MAX
struct waiting {
	struct waiting_task {
		struct plan_due due;
		uint32_t number; /* of the question; 0: it waits for another task */
	} all[WAITING_MAX];
	size_t count;
	unsigned decided; /* tasks, so far */
};

struct tagger {
	sd_event *event; /* the owner's; NULL: there is no loop */
	int proc;	 /* the owner's */
	const struct config *config; /* the owner's; in force */
	void (*scanned)(void *context);
	void *context;

	struct intake *intake; /* NULL: no subscription */
	struct pace execs;
	struct pace forks;
	struct names names;
	struct moves moves;
	struct changes changes;
	sd_event_source *processors; /* those that come online; NULL: nothing depends on them */
	uint64_t suspended_ns; /* since boot: CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	uint64_t tick_ns; /* length of a clock tick of /proc/PID/stat */

	struct plan *plan;
	struct live_facts *facts;
	struct arguments arguments;
	struct waiting waiting;
	sd_event_source *answers; /* while some are late; NULL: none is */
	sd_event_source *later;	  /* the timer of what is late or to be tried again */
	bool later_is_set;
	struct applier applier;

	sd_event_source *requests; /* a deferred source: has the loop handle requests and events */
	bool scan_requested;
	uint32_t booked_ms; /* what happened before this has been booked */
	bool events_lost; /* to be repaired by a scan as soon as nothing is queued */
	bool started;	  /* the first scan is over: each change is logged from then on */
	size_t sweep_at;  /* number of records at which those of ended tasks are removed */

	struct state *state;
	struct keep keep;
	bool undone; /* everything has been put back */
	bool is_rehearsal; /* decides, but sets nothing */

	struct shortage shortage;
	struct tagger_counters counters;
	struct problem problems[TAGGER_PROBLEMS];
};

/*
 * Has the loop run once more even if no event arrives: something received has yet to be handled, or a request was
 * made.
 */
static inline void tagger_wake(struct tagger *tagger)
{
	if (tagger->requests)
		sd_event_source_set_enabled(tagger->requests, SD_EVENT_ONESHOT);
}

static inline void request_scan(struct tagger *tagger)
{
	tagger->scan_requested = true;
	tagger_wake(tagger);
}

/* tagger.c: what has to follow when other classes may be given from now on. */
void tagger_follow_classes(struct tagger *tagger);

/*
 * restore.c: a tagger without a loop and without events, which takes over the records of a killed daemon. The folder of
 * the state file stays closed. 0 or -errno; in either case clear it.
 */
int tagger_init_bare(struct tagger *tagger, const struct config *config, const struct state_legacy *legacy);
void tagger_clear_bare(struct tagger *tagger);

/* restore.c: looks once more at what may have outlasted a stop. False if something is left, which has been logged. */
bool restore_stopped(int folder, bool *ret_done);

/*
 * loop.c: loop_init adds the timers and the source of requests; loop_listen adds the events, and needs the intake.
 * Both return a negative errno on failure.
 */
int loop_init(struct tagger *tagger);
int loop_listen(struct tagger *tagger);
void loop_free(struct tagger *tagger);

/* processors.c: watches out for processors if anything heard depends on them, else no longer. */
void processors_update(struct tagger *tagger);

/* undo.c: puts everything back, including tasks born meanwhile. Returns the number of tasks put back. */
uint64_t undo_all(struct tagger *tagger);

/* scan.c: books every task in /proc, until no unknown one is left, and has them decided. */
void scan_all(struct tagger *tagger);

/*
 * scan.c: has the process of an override join it, and, if it is handed on, all that descends from it. 0 or -errno: -ESRCH
 * if there is no such process, or it is one that is never touched.
 */
int scan_tree(struct tagger *tagger, uint16_t number);

/* scan.c: removes the records of ended tasks, since no event reports exits. */
void scan_sweep(struct tagger *tagger);

/* events.c: receives and books up to EVENTS_BATCH events, and decides nothing. Returns whether nothing was left. */
#define EVENTS_BATCH 512
bool events_book_some(struct tagger *tagger);

/* events.c: books everything queued, and decides nothing. Returns false if events arrive faster than it books them. */
bool events_book(struct tagger *tagger);

/*
 * events.c: books what is queued, all of it first: what is read of a task that is decided about may be newer than the events
 * that wait, and its children copy its record. Has the due tasks decided. Returns whether nothing was left.
 */
bool events_handle(struct tagger *tagger);

/*
 * events.c: handles everything queued, and waits for a short time for what it takes. Returns false if events arrive
 * faster than it handles them.
 */
bool events_drain(struct tagger *tagger);

/* events.c: decides the tasks that are due, and carries that out. Those that need arguments wait until these are there. */
void due_decide(struct tagger *tagger);

/* events.c: the same until none waits, for a short time; or with none waiting, by what is known. */
void due_settle(struct tagger *tagger);
void due_settle_at_once(struct tagger *tagger);

/* events.c: sets and reads back, reports to the plan, counts and logs. */
void due_carry_out(struct tagger *tagger, const struct plan_action *action);

