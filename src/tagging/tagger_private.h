/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the tagger. At the bottom are those that know no struct tagger (intake, pace, apply,
 * live_facts, arguments, state ...). The others form layers, and each calls only what stands below it in this list:
 *
 *	tagger.c	the public functions
 *	loop.c		the event sources and their handlers
 *	overrides.c	puts overrides in force, and ends them
 *	keep.c		the state file: written, taken over
 *	undo.c		makes the plan, and puts everything back; decisions without a loop and events
 *	scan.c		books every task in /proc
 *	accounting.c	what tasks use
 *	events.c	books events, has what is due decided in order, and carries that out
 *	heard.c		subscribes to renames, moves between cgroups, changes of attributes
 *
 * A file that needs something from above it calls do_later() or tagger_wake(), and the loop does it. How an exec comes
 * to its attributes is in src/README.md.
 */
#pragma once

#include <limits.h>

#include <systemd/sd-event.h>

#include <schedqos/kernel/taskstats.h>
#include <schedqos/policy/plan.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/clock.h>

#include "apply.h"
#include "arguments.h"
#include "intake.h"
#include "live_facts.h"
#include "pace.h"
#include "spending.h"
#include "state.h"

enum tagger_problem {
	PROBLEM_LOST,	  /* the kernel dropped events */
	PROBLEM_RENAMES,  /* so many that they are ignored for a while */
	PROBLEM_MOVES,	  /* likewise */
	PROBLEM_CHANGES,  /* likewise */
	PROBLEM_REFUSED,  /* a sched_setattr was refused */
	PROBLEM_NOT_KEPT, /* the kernel did not keep what it accepted */
	PROBLEM_RECEIVE,  /* receiving failed in some other way */
	PROBLEM_SIGHT,	  /* we may not look at what programs run */
	PROBLEM_SCAN,	  /* /proc could not be read */
	PROBLEM_SHORTAGE, /* no more descriptors, or no memory */
	PROBLEM_PATH,	  /* of a program or a cgroup, which is too long */
	PROBLEM_SPENDING, /* reading about a user's processes takes too long */
	PROBLEM_STATE,	  /* the state file does not hold all classes */
	PROBLEM_ENDS,	  /* the kernel dropped records of ended tasks */
	TAGGER_PROBLEMS,
};

/* ---- parts of the tagger ---- */

struct flood {
	uint32_t since_ms; /* when the counting began; CLOCK_MONOTONIC, cut to 32 bits */
	uint32_t count;	   /* since then */
	pid_t tgid;	   /* the process of the last one; 0: it was lost */
	bool is_on;	   /* it makes heard_check begin a pause */
};

/* This many renames a second are a flood: each costs us some 2 us, and its author less. */
#define FLOOD_RATE 5000

/* This many moves a second are one: each has a process matched again, which costs us more than its author. */
#define FLOOD_MOVES 1000

/*
 * Renames: subscribed to if a rule can use them, except in a flood. A thread can rename itself three million times a
 * second, which costs a listener more than the thread. So in a flood all renames are ignored for a while, and then the
 * names that rules can use are read from /proc.
 */
struct names {
	struct flood flood;
	uint64_t reading_us; /* how long reading names took last time */
};

/* If there are more, they are not looked at again: more than 2,700 execs a second. */
#define YOUNG_MAX 8192

/*
 * Moves between cgroups: subscribed to if a rule or group can use them. Desktops put a program into its cgroup after it
 * has called exec. Where moves cannot be heard, a process is looked at again some times after its exec, and later moves
 * are missed. In a flood, or when moves were lost, they are ignored for a while. Then the cgroups of all processes are
 * read in small steps, and those that are in another one than before are matched again.
 */
struct moves {
	enum tagger_hearing how;
	struct flood flood;
	pid_t *sweep; /* processes whose cgroup is to be read, those from `swept` on */
	size_t n_sweep, sweep_size, swept;
	uint64_t sweep_us; /* CPU time that the last sweep took, or this one so far */
	struct young {
		pid_t tgid;
		unsigned looks;
	} young[YOUNG_MAX];
	unsigned n_young;
};

/*
 * Rules that enforce their class: after each system call by which anybody sets attributes of any task, the tasks of
 * these rules are looked at, the next time a sixteenth of a second later, or where that has put one back, a second.
 * Listening makes every system call of the machine a little slower, so it is done only while a rule enforces.
 */
struct changes {
	enum tagger_hearing how;
	struct trace *trace;	/* NULL: not heard */
	sd_event_source *heard; /* off during a pause */
	pid_t caller;		/* the last thread that was heard, 0: none */
	pid_t put_back;		/* a task whose change was put back since the last check, 0: none */
};

/* What the loop does some time later. */
enum later {
	LATER_NAMES,   /* end a pause of names */
	LATER_MOVES,   /* look at young processes; or end a pause of moves, and go on with a sweep */
	LATER_CHANGES, /* end a pause of changes; where they are not heard, look once more */
	LATER_SCAN,    /* make up for a shortage, or for events that were not heard */
	LATER_KINDS,
};

/* What is due and waits for arguments, in the order of marking. */
#define WAITING_MAX QUESTIONS_MAX
struct waiting {
	struct plan_due all[WAITING_MAX];
	size_t count;
	unsigned decided; /* tasks, so far */
};

struct sums;

/* What tasks use: counted while there is a reader or the setting says so. */
struct accounting {
	unsigned readers; /* a bit for each */
	bool is_on;
	struct sums *sums;	 /* NULL: it was never on. Those of classes stay when it is off */
	struct taskstats *stats; /* NULL: the kernel has none, or it is off */
	int error;		 /* 0, or why taskstats is not used */
	uint32_t received_ms;	 /* when records of ended tasks were taken, CLOCK_MONOTONIC, cut to 32 bits */
	bool has_delays, has_longest;
	uint64_t ended, lost;	 /* records; times that some were dropped */
	uint64_t busy_ns, at_ns; /* of the last look */
};

/* ---- all of it ---- */

struct tagger {
	sd_event *event; /* the owner's; NULL: there is no loop */
	int proc;	 /* the owner's */
	const struct config *config; /* the owner's; in force */

	struct intake *intake; /* NULL: no subscription */
	struct pace paces[INTAKE_QUEUES];
	struct names names;
	struct moves moves;
	struct changes changes;
	struct accounting accounting;
	uint64_t suspended_ns; /* since boot: CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	uint64_t tick_ns; /* length of a clock tick of /proc/PID/stat */

	struct plan *plan;
	struct live_facts *facts;
	struct arguments arguments;
	struct spending spending;
	struct waiting waiting;
	struct applier applier;

	sd_event_source *requests; /* a deferred source: has the loop handle requests and events */
	sd_event_source *timer; /* of arguments that are late or to be tried again, and of what is to be done later */
	uint32_t timer_ms;	/* when it fires, if it is set; CLOCK_MONOTONIC, cut to 32 bits */
	bool timer_is_set;
	uint32_t later_ms[LATER_KINDS]; /* when to do it, if its bit is set: */
	uint32_t later;			/* 1 << enum later */
	uint32_t booked_ms; /* what happened before this has been booked */
	bool events_lost; /* to be repaired by a scan as soon as nothing is queued */
	bool started;	  /* the first scan is over: each change is logged from then on */
	size_t sweep_at;  /* number of records at which those of ended tasks are removed */

	int folder; /* the runtime folder's descriptor, or a -errno */
	struct state *state;
	bool undone;	   /* everything has been put back */
	bool sets_nothing; /* decides only */
	uint64_t records_failed; /* plan_failed at the last scan_shortage */

	uint64_t lowered; /* tasks that carried more than their limit allows, and were lowered to that */
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

static inline void do_later(struct tagger *tagger, enum later what, uint32_t in_ms)
{
	tagger->later |= 1U << what;
	tagger->later_ms[what] = clock_ms() + in_ms;
	tagger_wake(tagger);
}

static inline bool is_later(const struct tagger *tagger, enum later what)
{
	return tagger->later & 1U << what;
}

static inline void not_later(struct tagger *tagger, enum later what)
{
	tagger->later &= ~(1U << what);
}

/* Whether its time has come; it is no longer to be done later then. */
static inline bool is_due(struct tagger *tagger, enum later what)
{
	if (!is_later(tagger, what) || is_before(clock_ms(), tagger->later_ms[what]))
		return false;
	not_later(tagger, what);
	return true;
}

/* Drops what is queued, too. Does nothing to one that is closed. */
static inline void queue_close(struct tagger *tagger, enum intake_queue kind)
{
	pace_close(&tagger->paces[kind]);
	if (tagger->intake)
		intake_unsubscribe(tagger->intake, kind);
}

/* Opens a queue of the intake that is closed, and has the loop read it. 0 or -errno. */
static inline int queue_open(struct tagger *tagger, enum intake_queue kind)
{
	int r = intake_subscribe(tagger->intake, kind);

	if (r == 0)
		r = pace_open(&tagger->paces[kind], tagger->event, intake_fd(tagger->intake, kind));
	if (r < 0)
		queue_close(tagger, kind);
	return r;
}

/* undo.c: makes the plan, which takes over the records of a daemon that has ended. 0 or -ENOMEM. */
int bare_plan(struct tagger *tagger, const struct state_legacy *legacy, const struct tasks_memory *memory);

/* undo.c: frees what there is without a loop, too. */
void bare_free(struct tagger *tagger);

/* loop.c: adds the timer and the source of requests; queues are added by queue_open. A negative errno on failure. */
int loop_init(struct tagger *tagger);
void loop_free(struct tagger *tagger);

/* heard.c: subscribes to what is of use now, and unsubscribes from all else. Call it when that may have changed. */
void heard_update(struct tagger *tagger);

/* heard.c: unsubscribes, and ends pauses. */
void heard_close(struct tagger *tagger);

/* heard.c: what follows from events: a pause in a flood or after a change was put back, a look at young processes. */
void heard_check(struct tagger *tagger);

/*
 * heard.c: does what was to be done later. Events are to be booked first: a process with an id that was reused since is
 * another.
 */
void heard_due(struct tagger *tagger);

/*
 * events.c: counts an event of one of the process's threads at ms. Returns whether more than `rate` a second make this
 * a flood; then it starts over.
 */
bool flood_count(struct flood *flood, unsigned rate, pid_t tgid, uint32_t ms);

/*
 * keep.c: makes the plan, with the records of a killed daemon. Needs tagger->config and applier. 0, -ENOMEM, or another
 * -errno if there is a file that cannot be read now, which has been logged: it stays, and nothing may be set.
 */
int keep_init(struct tagger *tagger);

/* keep.c: call it after the plan has been freed. Renames the file if everything has been put back. */
void keep_free(struct tagger *tagger);

/*
 * keep.c: brings the file up to date. Call it when a configuration has been put in force, whose classes it has to hold.
 */
void keep_now(struct tagger *tagger);

/* undo.c: puts everything back, including tasks born meanwhile. Returns the number of tasks put back. */
uint64_t undo_all(struct tagger *tagger);

/*
 * undo.c: puts back what a daemon that has ended has left, or what may have outlasted its stop. False if something is
 * left, which has been logged.
 */
bool restore_from(const struct state_legacy *legacy, bool *ret_done);

/* scan.c: books every task in /proc, until no unknown one is left, and has them decided. */
void scan_all(struct tagger *tagger);

/* accounting.c: turns it on or off, as the readers and the configuration have it. 0 or -ENOMEM. */
int accounting_update(struct tagger *tagger);
void accounting_follow_config(struct tagger *tagger);
int accounting_read(struct tagger *tagger, unsigned reader, bool begins);

/* accounting.c: looks at every task that lives. Does nothing while it is off. */
void accounting_look(struct tagger *tagger);

/* accounting.c: takes records that are queued, if it is time to. Call it after events were handled. */
void accounting_follow(struct tagger *tagger);

/* accounting.c: takes the records that are queued. Call it before the records of ended tasks are removed. */
void accounting_receive(struct tagger *tagger);

void accounting_free(struct tagger *tagger);

/*
 * scan.c: has the process of an override join it, and, if it is handed on, all that descends from it. Number 0: the
 * same of all limits that those which have ended may have covered. -errno: -ESRCH if there is no such process, or it is
 * one that is never touched.
 */
int scan_join(struct tagger *tagger, uint16_t number);

/*
 * scan.c: fills in what else has to be known of an app of which something is seen: its cgroup, if that holds just the
 * app and has no shell in it, and its terminal. What is the session's is never hidden and has no focus. 0 or -errno.
 */
int scan_app(struct tagger *tagger, pid_t pid, struct visibility *app, char path[PATH_MAX]);

/* scan.c: the -errno of a shortage by which tasks were not looked at, or have no record, since the last call; or 0. */
int scan_shortage(struct tagger *tagger);

/* scan.c: removes the records of ended tasks, since no event reports exits. */
void scan_sweep(struct tagger *tagger);

/* events.c: books everything queued, and decides nothing. Returns false if events arrive faster than it books them. */
bool events_book(struct tagger *tagger);

/*
 * events.c: books what is queued, all of it first: what is read of a task that is decided about may be newer than the
 * events that wait, and its children copy its record. Has the due tasks decided. Returns whether nothing was left.
 */
bool events_handle(struct tagger *tagger);

/*
 * events.c: the same, and waits for a short time for what that takes, so that no task is due any more. What follows
 * from it, and what is to be done later, such as asking for arguments again, is the loop's, which nothing else wakes on
 * an idle machine.
 */
void events_drain(struct tagger *tagger);

/* events.c: sets and reads back, reports to the plan, counts and logs. */
void due_carry_out(struct tagger *tagger, const struct plan_action *action);

