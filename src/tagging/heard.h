/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listens to renames, moves between cgroups and changes of attributes, each only while something in force needs it
 * (a rule, group, override or unit), and with pauses in floods. After a pause it reads and books what has changed.
 */
#pragma once

#include <schedqos/kernel/events.h>

#include "decider.h"
#include "walk.h"

/*
 * Renames. We subscribe to them if a rule can use them, except in a flood: a thread can rename itself three million
 * times a second, which costs a listener more than the thread. In a flood all renames are ignored for a while; then the
 * names that rules can use are read from /proc.
 */
struct names {
	bool is_missing_some; /* we are not subscribed */
	struct walk walk;
};

/*
 * Moves between cgroups. We subscribe to them if a rule, group, override or unit can use them (plan_needs_moves),
 * because desktops put a program into its cgroup after its exec.
 *
 * If the kernel does not report moves, the cgroups of new processes are read once a second while programs are started,
 * and later moves are missed.
 *
 * In a flood, or after moves were lost, they are ignored for a while. Then the cgroups of all processes are read, and
 * processes that have moved are matched again.
 */
struct moves {
	enum tagger_hearing how;
	struct walk walk;
};

/*
 * Changes of attributes, for rules that enforce their class. After each system call by which anybody sets attributes of
 * any task, the tasks of these rules are looked at. The next look comes after a pause, which lasts a second if a task
 * was put back. Listening makes every system call on the machine a little slower, so we listen only while a rule
 * enforces.
 */
struct changes {
	enum tagger_hearing how;
	struct trace *trace; /* NULL if not reported */
	bool is_watched;     /* else there is a pause */
	pid_t caller;	     /* the last thread that called; 0 if none */
	struct walk walk;
	uint32_t n_enforced; /* tasks that this walk, or the last one, looked at */
	bool has_put_back;   /* by that, a task was put back */
};

/* Starts as all zeroes, except for the pointers, which must outlive it. */
struct heard {
	struct decider *decider;
	struct intake *intake;
	struct later *later;
	int epoll; /* reports changes, with data.ptr the struct heard */
	struct names names;
	struct moves moves;
	struct changes changes;
};

/* Subscribes to events that are needed now, and unsubscribes from others. Call it when that may have changed. */
void heard_update(struct heard *heard);

/* Unsubscribes, and ends pauses. */
void heard_close(struct heard *heard);

/* Subscribes again to tracepoints, if there are any. Returns whether there are: then something may have been missed. */
bool heard_resubscribe(struct heard *heard);

/*
 * Reacts to events that were booked: begins a pause in a flood or after a change was put back, and schedules walks
 * after an exec.
 */
void heard_check(struct heard *heard);

/* Looks at changes. Call it when epoll reports them. */
void heard_changes(struct heard *heard);

/* Does work that was scheduled for now. Book events first, because ids may have been reused. */
void heard_due(struct heard *heard);
