/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the tagger share. Below them are those that know no tagger (intake, pace, apply, live_facts,
 * arguments, state ...); the others stand one over the other, and each calls only what is below it:
 *
 *	tagger.c	what the owner calls; restore.c, the same without a loop
 *	loop.c		what wakes the tagger, and what it does then
 *	keep.c		what is kept for a crash
 *	undo.c		everything is put back
 *	scan.c		every task in /proc is booked
 *	events.c	events are received and booked, and then the tasks that are due are decided
 *	decide.c	a decision, carried out and counted
 *	names.c		renames are heard, or left unheard
 *	shortage.c	descriptors and memory run out
 *
 * What has to be done from above is asked for with request_scan() or tagger_wake(), and the loop does it.
 *
 * The way of an exec, from the kernel's word to the attributes:
 *
 *	on_exec, handle, events_handle		loop.c, events.c	the loop is woken
 *	intake_next, proc_connector_receive	intake.c		recvmmsg, and the earliest event of all queues
 *	book, plan_book				events.c		the plan marks the task as due
 *	decide_due, plan_next, plan_decide	decide.c		the plan asks for facts: live_facts.c reads /proc
 *	decide_carry_out, applier_apply		decide.c, apply.c	sched_setattr, and sched_getattr to read back
 *	plan_applied				decide.c		the plan is told what came of it, and it is counted
 */
#pragma once

#include <systemd/sd-event.h>

#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>

#include "apply.h"
#include "arguments.h"
#include "boot_clock.h"
#include "intake.h"
#include "keep.h"
#include "live_facts.h"
#include "names.h"
#include "pace.h"
#include "shortage.h"
#include "state.h"

enum tagger_problem {
	PROBLEM_LOST,	  /* events were dropped by the kernel */
	PROBLEM_RENAMES,  /* so many that they are left unheard for a while */
	PROBLEM_REFUSED,  /* a sched_setattr was refused */
	PROBLEM_NOT_KEPT, /* the kernel did not keep what it accepted */
	PROBLEM_RECEIVE,  /* receiving failed in some other way */
	PROBLEM_SCAN,	  /* /proc could not be read */
	PROBLEM_SHORTAGE, /* no more descriptors, or no memory */
	PROBLEM_UNREAD,	  /* there are too many processes to be looked at again */
	PROBLEM_STATE,	  /* what there is to put back is not kept for a crash */
	TAGGER_PROBLEMS,
};

struct tagger {
	sd_event *event; /* the owner's; NULL: there is no loop */
	int proc;	 /* the owner's */
	const struct config *config; /* the owner's; in force */
	void (*scanned)(void *context);
	void *context;

	struct intake *intake; /* NULL: it hears nothing */
	sd_event_source *execs;
	struct pace forks;
	struct names names;
	struct boot_clock boot_clock;
	uint64_t tick_ns; /* length of a clock tick of /proc/PID/stat */

	struct plan *plan;
	struct live_facts *facts;
	struct arguments arguments;
	struct applier applier;

	sd_event_source *requests; /* has the loop handle what is queued and asked for */
	bool scan_asked;
	bool events_lost; /* the next scan makes up for them, as soon as nothing is queued */
	bool started;	  /* the first scan has been made */
	size_t sweep_at;  /* number of records at which the ended ones are looked for */

	struct state *state;
	struct keep keep;
	bool undone; /* everything has been put back */

	struct shortage shortage;
	struct tagger_counters counters;
	struct problem problems[TAGGER_PROBLEMS];
};

/*
 * Has the loop come round once more, though nothing may arrive: for what is received and yet to be handled, or asked
 * for.
 */
static inline void tagger_wake(struct tagger *tagger)
{
	if (tagger->requests)
		sd_event_source_set_enabled(tagger->requests, SD_EVENT_ONESHOT);
}

static inline void request_scan(struct tagger *tagger)
{
	tagger->scan_asked = true;
	tagger_wake(tagger);
}

/* tagger.c: the applier, for this kernel. 0, or -errno of what kept it from being tried. */
int tagger_init_applier(struct applier *applier);

/*
 * loop.c: what wakes us beside events: clocks and requests; and events, which needs the intake. A negative errno on
 * failure.
 */
int loop_init(struct tagger *tagger);
int loop_listen(struct tagger *tagger);
void loop_free(struct tagger *tagger);

/* undo.c: puts everything back, tasks born meanwhile included. Returns the number of tasks put back. */
uint64_t undo_all(struct tagger *tagger);

/* scan.c: books every task in /proc until no unknown one is left, and has it decided about them. */
void scan_all(struct tagger *tagger);

/* scan.c: looks once more at the processes with arguments that could not be read, as far as it is time to. */
void scan_unread(struct tagger *tagger);

/* scan.c: forgets the tasks that have ended, for no event tells of that. */
void scan_sweep(struct tagger *tagger);

/* events.c: books all that is queued, and decides nothing yet. Returns false when there is no end to it. */
bool events_book(struct tagger *tagger);

/*
 * events.c: handles what is queued, as much as one turn may take: books it, and decides. Returns whether nothing was
 * left.
 */
bool events_handle(struct tagger *tagger);

/* events.c: handles all that is queued. Returns false when there is no end to it. */
bool events_drain(struct tagger *tagger);

/* decide.c: decides about the tasks that are due, and does what is decided; those of late events only if it is time. */
void decide_due(struct tagger *tagger, bool is_time);

/* decide.c: sets and reads back, tells the plan, counts and reports. */
void decide_carry_out(struct tagger *tagger, const struct plan_action *action);
