/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decider owns the plan. It books events in chronological order, then decides about due tasks in the order in which
 * they were marked, and sets them. A task that needs its process's arguments waits for them, and so do tasks that were
 * marked through it: its threads, and children that it had while it waited. All others go on.
 */
#pragma once

#include <schedqos/policy/plan.h>

#include "apply.h"
#include "arguments.h"
#include "deferred.h"
#include "intake.h"
#include "later.h"
#include "live_facts.h"
#include "spending.h"
#include "state.h"
#include "tally.h"

/* Due tasks that wait for arguments, in the order in which they were marked. */
#define WAITING_MAX QUESTIONS_MAX
struct waiting {
	struct plan_mark all[WAITING_MAX];
	size_t count;
};

/* Number of moved processes whose user is remembered for a second. */
#define MOVERS 256

struct mover {
	pid_t tgid;
	uid_t user;
	uint32_t ms;
};

struct decider {
	int proc; /* the owner's */
	struct tally *tally;
	struct later *later;
	struct intake *intake; /* NULL without a subscription */
	struct plan *plan;
	struct applier applier;
	struct live_facts *facts;
	struct arguments arguments;
	struct spending spending;
	struct waiting waiting;
	struct deferred deferred;
	struct mover movers[MOVERS]; /* by tgid */
	uint32_t booked_ms;	     /* what happened before this has been booked */
	uint32_t exec_ms;	     /* time of the last exec */
	unsigned n_decided;
	int receive_error;  /* an -errno ends the loop */
	bool events_lost;   /* the kernel dropped some: scan once nothing is queued */
	bool logs_each;	    /* log each change, as after the first scan */
	bool sets_nothing;  /* only decide */
	bool is_ending;	    /* all tasks are being put back: no limit of time */
	uint64_t n_lowered; /* tasks that carried more than their limit allows, and were lowered to that */
	pid_t last_enforced; /* the last task whose rule undid a choice; 0: none. heard_changes.c clears it */
};

/*
 * Begins; the decider must be zeroed, except for the applier, which must be open. It has no plan yet. proc, later and
 * tally must outlive it.
 */
void decider_init(struct decider *decider, int proc, struct later *later, struct tally *tally);
/* Names the process of a thread for the log: "process 42 (vi)". */
void decider_name_process(const struct decider *decider, pid_t tid, char *ret, size_t size);

void decider_free(struct decider *decider);

/*
 * Makes the plan, has it adopt the records of a daemon that has ended, and puts this configuration in force. Returns 0
 * or -ENOMEM.
 */
int decider_plan(struct decider *decider, const struct config *config, const struct state_legacy *legacy,
		 const struct tasks_memory *memory);

/* Puts another configuration in force. Returns 0, or -ENOMEM with nothing changed. */
int decider_set_config(struct decider *decider, const struct config *config);

/* Books all queued events, and decides nothing. Returns false if events arrive faster than it books them. */
bool decider_book(struct decider *decider);

/*
 * Books a bounded number of queued events, and decides nothing. Returns whether it booked all that were queued; true
 * also after an error of receiving, which sets receive_error.
 */
bool decider_book_some(struct decider *decider);

/*
 * Books all queued events, and then decides due tasks. Booking comes first, because facts that are read about a task
 * may be newer than the queued events, and because its children copy its record. Returns false if events arrive faster
 * than it books them. In a storm of execs some tasks may stay due (plan_has_next).
 */
bool decider_handle(struct decider *decider);

/*
 * Does the same, but goes on until no task is due: for up to five seconds, or while is_ending for any time. Waits a
 * short time for arguments that decisions need. Work for later, such as asking for arguments again, is left to the
 * loop, which nothing else wakes on an idle machine.
 */
void decider_drain(struct decider *decider);

/* Drops decisions that wait for arguments, and arguments that are to be read later: a stop waits for nobody's. */
void decider_drop_waiting(struct decider *decider);

/* If it is time to, has a process matched again that could not be read before. */
void decider_retry(struct decider *decider);

/* Returns whether decider_handle or decider_retry is to be called later, and when. */
bool decider_next(const struct decider *decider, uint32_t *ret_ms);

/* Sets a task and reads it back, reports to the plan, counts and logs. */
void decider_carry_out(struct decider *decider, const struct plan_action *action);
