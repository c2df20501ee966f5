/* SPDX-License-Identifier: GPL-2.0-only */
/* The running daemon: the one struct that owns the descriptors, the event sources and the tables. */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/machine/machine.h>
#include <schedqos/policy/plan.h>
#include <schedqos/util/problem.h>

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
#include "stats.h"
#include "users.h"

enum problem_kind {
	PROBLEM_LOST,	     /* events were dropped by the kernel */
	PROBLEM_RENAMES,     /* so many that they are left unheard for a while */
	PROBLEM_REFUSED,     /* a sched_setattr was refused */
	PROBLEM_NOT_KEPT,    /* the kernel did not keep what it accepted */
	PROBLEM_RECEIVE,     /* receiving failed in some other way */
	PROBLEM_SCAN,	     /* /proc could not be read */
	PROBLEM_BUS,	     /* a client could not be served */
	PROBLEM_SHORTAGE,    /* no more descriptors, or no memory */
	PROBLEM_UNREAD,	     /* there are too many processes to be looked at again */
	PROBLEM_HUNG,	     /* a daemon before this one, in the same program, hung */
	PROBLEM_STATE,	     /* what there is to put back is not kept for a crash */
	PROBLEM_KNOBS,	     /* no knob is set, since an earlier run's record cannot be read */
	PROBLEM_COUNT,
};

struct bus_server;

struct daemon {
	sd_event *event;
	const struct daemon_options *options;
	int ready; /* who waits for us to be ready, or -1: see detach.h */
	struct config_paths paths;
	struct config *config;
	struct applier applier;
	struct intake *intake;
	struct pace forks;
	struct names names;
	sd_event_source *again_source; /* looks once more for all that is queued */
	struct plan *plan;
	struct state *state;
	struct keep keep;
	struct live_facts *facts;
	struct arguments arguments;
	struct bus_server *bus;
	struct machine *machine; /* its knobs */
	int proc; /* descriptor of /proc */

	bool verbose; /* log at debug level, whatever the configuration says */
	bool on_terminal;     /* in the foreground of one */
	pid_t hung;	      /* it takes over from one that hung at this process, with its configuration and log */
	bool stop_at_once;    /* that had been told to stop */
	bool undone;	      /* everything has been put back */
	bool rescan;	      /* events were lost: scan as soon as the queue is empty */
	size_t sweep_at;      /* number of records at which the ended ones are looked for */
	struct boot_clock boot_clock;
	uint64_t tick_ns;     /* length of a clock tick of /proc/PID/stat */
	uint64_t since_us;    /* CLOCK_REALTIME when it became ready */
	char *reload_error;   /* of the last reload, or NULL */

	struct users users;
	struct shortage shortage;
	struct stats stats;
	struct problem problems[PROBLEM_COUNT];
};

/* events.c: has the event loop receive and handle events. Returns a negative errno on failure. */
int events_init(struct daemon *daemon);

/* Books what is queued, and decides nothing yet. Returns false when there is no end to it. */
bool events_book(struct daemon *daemon);

/* events.c: books all that is queued now, and decides about who is due. Returns false if more keeps coming than that. */
bool events_drain(struct daemon *daemon);

/* events.c: handles what is queued: books it, decides, repairs losses. To be called by the event loop. */
void events_handle(struct daemon *daemon);

/*
 * events.c: has the event loop handle what is queued, and repair losses, though nothing more arrives: what has been
 * received and is yet to be handled, and a loss already told, wake nobody.
 */
void events_again(struct daemon *daemon);

/* events.c: carries out what the plan wants, counts and reports it. */
void events_act(struct daemon *daemon, const struct plan_action *action);

/* Facts of a task, for the next call of the plan. */
struct facts *daemon_facts(struct daemon *daemon, pid_t tid, pid_t tgid);

/* scan.c: looks at every task in /proc until no unknown one is left. */
void scan_all(struct daemon *daemon);

/* scan.c: looks once more at one process and its threads, if it is still there. */
void scan_process(struct daemon *daemon, pid_t pid);

/* scan.c: forgets the tasks that have ended, whose end nobody reports. */
void scan_sweep(struct daemon *daemon);

/* undo.c: puts everything back, tasks born meanwhile included. Returns the number of tasks put back. */
uint64_t undo_all(struct daemon *daemon);

/* base_slice.c: to be called with the daemon when the kernel's base slice has been written. */
void base_slice_changed(void *context);

/* daemon.c: goes on, as after a crash, in place of one that hangs for good; see takeover.h. Returns an exit status. */
int daemon_take_over(struct daemon *before, pid_t whom, const char *cause, bool stop);

/* signals.c: has the event loop handle the signals that stop and reload. Returns a negative errno on failure. */
int signals_init(struct daemon *daemon);

/* reload.c: reads the configuration, and says what is wrong with it. Returns 0 or an exit status. */
int daemon_load_config(struct daemon *daemon);

/* reload.c: reads the configuration again. Returns 0, or -errno with the errors in *ret_text, to be freed. */
int daemon_reload(struct daemon *daemon, char **ret_text);
