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
	PROBLEM_RENAMES,  /* too many renames: they are ignored for a while */
	PROBLEM_MOVES,	  /* the same for moves */
	PROBLEM_CHANGES,  /* the same for changes */
	PROBLEM_REFUSED,  /* a sched_setattr was refused */
	PROBLEM_NOT_KEPT, /* the kernel did not keep an attribute that it had accepted */
	PROBLEM_RECEIVE,  /* receiving failed in another way */
	PROBLEM_SIGHT,	  /* we may not see which programs run */
	PROBLEM_SCAN,	  /* /proc could not be read */
	PROBLEM_SHORTAGE, /* no descriptors or no memory left */
	PROBLEM_PATH,	  /* the path of a program or a cgroup is too long */
	PROBLEM_SPENDING, /* reading about a user's processes takes too long */
	PROBLEM_ENDS,	  /* the kernel dropped records of ended tasks */
	TAGGER_PROBLEMS,
};

/* ---- parts of the tagger ---- */

struct flood {
	uint32_t since_ms; /* start of the counting; CLOCK_MONOTONIC, cut to 32 bits */
	uint32_t count;	   /* since then */
	pid_t tgid;	   /* process of the last event; 0 if events were lost */
	bool is_on;	   /* heard_check must begin a pause */
};

/*
 * Renames or moves per second that are a flood. A rename costs us 2 us, and its author less. A move costs us 5 us even
 * if its process is not matched again: see spending_note_move.
 */
#define FLOOD_RATE 5000

/*
 * Renames. We subscribe to them if a rule can use them, except in a flood: a thread can rename itself three million
 * times a second, which costs a listener more than the thread. In a flood all renames are ignored for a while; then the
 * names that rules can use are read from /proc.
 */
struct names {
	struct flood flood;
	uint64_t reading_us; /* CPU time that the last reading of names took */
};

/* Most processes to look at again, enough for 2,700 execs a second. Further ones are not looked at again. */
#define YOUNG_MAX 8192

/* Number of moved processes whose user is remembered for a second. */
#define MOVERS 256

/*
 * Moves between cgroups. We subscribe to them if a rule or group can use them, because desktops put a program into its
 * cgroup after its exec.
 *
 * If the kernel does not report moves, each process is looked at again some times after its exec, and later moves are
 * missed.
 *
 * In a flood, or after moves were lost, they are ignored for a while. Then the cgroups of all processes are read in
 * small steps, and processes that have moved are matched again.
 */
struct moves {
	enum tagger_hearing how;
	struct flood flood;
	pid_t *sweep; /* processes whose cgroup to read, from `swept` on */
	size_t n_sweep, sweep_size, swept;
	uint64_t sweep_us; /* CPU time of the last sweep, or of this one so far */
	struct young {
		pid_t tgid;
		unsigned looks;
	} young[YOUNG_MAX];
	unsigned n_young;
	/* users of processes that moved lately, by tgid */
	struct mover {
		pid_t tgid;
		uid_t user;
		uint32_t ms;
	} movers[MOVERS];
};

/*
 * Changes of attributes, for rules that enforce their class. After each system call by which anybody sets attributes of
 * any task, the tasks of these rules are looked at. The next look comes after a sixteenth of a second, or if a task was
 * put back, after a second. Listening makes every system call on the machine a little slower, so we listen only while a
 * rule enforces.
 */
struct changes {
	enum tagger_hearing how;
	struct trace *trace;	/* NULL if not reported */
	sd_event_source *heard; /* disabled during a pause */
	pid_t caller;		/* the last thread that called; 0 if none */
	pid_t put_back;		/* a task that was put back since the last check; 0 if none */
};

/* Work that the loop does later. */
enum later {
	LATER_NAMES,   /* end a pause of renames */
	LATER_MOVES,   /* look at young processes; or end a pause of moves, and go on with a sweep */
	LATER_CHANGES, /* end a pause of changes; if they are not reported, look once more */
	LATER_SCAN,    /* scan again after a shortage, or after lost moves or changes */
	LATER_KINDS,
};

/* Due tasks that wait for arguments, in the order of marking. */
#define WAITING_MAX QUESTIONS_MAX
struct waiting {
	struct plan_due all[WAITING_MAX];
	size_t count;
	unsigned decided; /* tasks decided so far */
};

struct sums;

/* The use of tasks, counted while there is a reader or the setting says so. */
struct accounting {
	unsigned readers; /* one bit for each */
	bool is_on;
	/* NULL if it was never on. Sums of classes stay when it is off */
	struct sums *sums;
	struct taskstats *stats; /* NULL if the kernel has none, or it is off */
	int error;		 /* 0, or the -errno because of which taskstats is not used */
	uint32_t received_ms;	 /* when records of ended tasks were taken, CLOCK_MONOTONIC, cut to 32 bits */
	bool has_delays, has_longest;
	uint64_t ended, lost;	 /* records; times that some were dropped */
	uint64_t busy_ns, at_ns; /* of the last look */
};

/* ---- all of it ---- */

struct tagger {
	sd_event *event; /* the owner's; NULL without a loop */
	int epoll;	 /* the queues and event; -1 without a loop: see tagger_loop */
	bool event_is_stale; /* a timer or request was set since event was last prepared */
	int proc;	 /* the owner's */
	const struct config *config; /* the owner's; in force */

	struct intake *intake; /* NULL without a subscription */
	struct pace paces[INTAKE_QUEUES];
	struct names names;
	struct moves moves;
	struct changes changes;
	struct accounting accounting;
	uint64_t suspended_ns; /* since boot: CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	uint64_t wall_ns;      /* CLOCK_REALTIME - CLOCK_MONOTONIC when suspended_ns was read */
	uint64_t tick_ns; /* length of a clock tick of /proc/PID/stat */

	struct plan *plan;
	struct live_facts *facts;
	struct arguments arguments;
	struct spending spending;
	struct waiting waiting;
	struct applier applier;

	sd_event_source *requests; /* deferred source: makes the loop handle requests and events */
	sd_event_source *timer;	   /* for late arguments, for retries, and for later work */
	uint32_t timer_ms;	   /* when it fires, if set; CLOCK_MONOTONIC, cut to 32 bits */
	bool timer_is_set;
	uint32_t later_ms[LATER_KINDS]; /* when to do it, if its bit is set: */
	uint32_t later;			/* 1 << enum later */
	uint32_t booked_ms; /* what happened before this has been booked */
	bool events_lost;   /* scan as soon as nothing is queued */
	bool started;	  /* the first scan is over: each change is logged from then on */
	size_t sweep_at;  /* number of records at which those of ended tasks are removed */

	int folder; /* the runtime folder's descriptor, or a -errno */
	struct state *state;
	bool undone;	   /* everything has been put back */
	bool sets_nothing; /* only decides */
	uint64_t records_failed; /* plan_failed at the last scan_shortage */

	uint64_t lowered; /* tasks that carried more than their limit allows, and were lowered to that */
	struct tagger_counters counters;
	struct problem problems[TAGGER_PROBLEMS];
};

/* Makes the loop run once more even if no event arrives, because received events wait or a request was made. */
static inline void tagger_wake(struct tagger *tagger)
{
	if (!tagger->requests)
		return;
	sd_event_source_set_enabled(tagger->requests, SD_EVENT_ONESHOT);
	tagger->event_is_stale = true;
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

/* Returns whether the time for this work has come, and if so unmarks it. */
static inline bool is_due(struct tagger *tagger, enum later what)
{
	if (!is_later(tagger, what) || is_before(clock_ms(), tagger->later_ms[what]))
		return false;
	not_later(tagger, what);
	return true;
}

/* Closes a queue and drops its events. Does nothing to a closed one. */
static inline void queue_close(struct tagger *tagger, enum intake_queue kind)
{
	pace_close(&tagger->paces[kind]);
	if (tagger->intake)
		intake_unsubscribe(tagger->intake, kind);
}

/* Opens a closed queue of the intake, and has the loop read it. Returns 0 or -errno. */
static inline int queue_open(struct tagger *tagger, enum intake_queue kind)
{
	int r = intake_subscribe(tagger->intake, kind);

	if (r == 0)
		r = pace_open(&tagger->paces[kind], tagger->epoll, intake_fd(tagger->intake, kind));
	if (r < 0)
		queue_close(tagger, kind);
	return r;
}

/* undo.c: makes the plan, which takes over the records of a daemon that has ended. Returns 0 or -ENOMEM. */
int bare_plan(struct tagger *tagger, const struct state_legacy *legacy, const struct tasks_memory *memory);

/* undo.c: frees a tagger without a loop, and what it shares with others. */
void bare_free(struct tagger *tagger);

/* loop.c: adds the timer and the source of requests; queue_open adds queues. Returns a negative errno on failure. */
int loop_init(struct tagger *tagger);
void loop_free(struct tagger *tagger);

/*
 * heard.c: subscribes to events that are needed now, and unsubscribes from others. Call it when that may have changed.
 */
void heard_update(struct tagger *tagger);

/* heard.c: unsubscribes, and ends pauses. */
void heard_close(struct tagger *tagger);

/*
 * heard.c: reacts to events: begins a pause in a flood or after a change was put back, schedules looks at young
 * processes.
 */
void heard_check(struct tagger *tagger);

/* heard.c: does work that was scheduled for now. Book events first, because ids may have been reused. */
void heard_due(struct tagger *tagger);

/*
 * events.c: counts an event of one of the process's threads at ms. Returns whether more than `rate` a second make this
 * a flood; the counting then starts over.
 */
bool flood_count(struct flood *flood, unsigned rate, pid_t tgid, uint32_t ms);

/*
 * keep.c: makes the plan, with the records of a killed daemon. Needs tagger->config and applier. 0, -ENOMEM, or another
 * -errno if there is a file that cannot be read now, which has been logged: it stays, and nothing may be set.
 */
int keep_init(struct tagger *tagger);

/* keep.c: call it after the plan has been freed. Renames the file if everything has been put back. */
void keep_free(struct tagger *tagger);

/* undo.c: puts everything back, including tasks born meanwhile. Returns the number of tasks put back. */
uint64_t undo_all(struct tagger *tagger);

/*
 * undo.c: puts back tasks of a daemon that has ended, or tasks that have outlasted its stop. Returns false if something
 * is left, after logging the reason.
 */
bool restore_from(const struct state_legacy *legacy, bool *ret_done);

/* scan.c: books every task in /proc, until no unknown one is left, and has them decided. */
void scan_all(struct tagger *tagger);

/* accounting.c: turns accounting on or off, as the readers and the configuration require. Returns 0 or -ENOMEM. */
int accounting_update(struct tagger *tagger);
void accounting_follow_config(struct tagger *tagger);
int accounting_read(struct tagger *tagger, unsigned reader, bool begins);

/* accounting.c: looks at every living task. Does nothing while accounting is off. */
void accounting_look(struct tagger *tagger);

/* accounting.c: takes queued records if it is time to. Call it after events were handled. */
void accounting_follow(struct tagger *tagger);

/* accounting.c: takes all queued records. Call it before records of ended tasks are removed. */
void accounting_receive(struct tagger *tagger);

void accounting_free(struct tagger *tagger);

/*
 * scan.c: joins the process of an override to it, and all its descendants if the override covers a tree. With number 0,
 * does so for all limits that ended ones may have covered. Returns 0 or -errno: -ESRCH if there is no such process, or
 * we never touch it.
 */
int scan_join(struct tagger *tagger, uint16_t number);

/*
 * scan.c: completes the visibility of an app: its cgroup, if that contains only the app and no shell, and its terminal.
 * A process of the session itself is never hidden and never has the focus. Returns 0 or -errno.
 */
int scan_app(struct tagger *tagger, pid_t pid, struct visibility *app, char path[PATH_MAX]);

/*
 * scan.c: returns the -errno of a shortage since the last call, by which tasks were not looked at or have no record; or
 * 0.
 */
int scan_shortage(struct tagger *tagger);

/* scan.c: removes the records of ended tasks, since no event reports exits. */
void scan_sweep(struct tagger *tagger);

/* events.c: books all queued events, and decides nothing. Returns false if events arrive faster than it books them. */
bool events_book(struct tagger *tagger);

/*
 * events.c: books all queued events, and then decides due tasks. Booking comes first, because facts that are read about
 * a task may be newer than the queued events, and because its children copy its record. Returns whether nothing was
 * left.
 */
bool events_handle(struct tagger *tagger);

/*
 * events.c: the same, but waits a short time for whatever that needs, until no task is due. Work for later, such as
 * asking for arguments again, is left to the loop, which nothing else wakes on an idle machine.
 */
void events_drain(struct tagger *tagger);

/* events.c: sets and reads back, reports to the plan, counts and logs. */
void due_carry_out(struct tagger *tagger, const struct plan_action *action);

