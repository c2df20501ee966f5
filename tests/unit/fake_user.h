/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up user without privileges, who takes the steps of a script. The kernel lets such a user choose names, slices,
 * clamps and policies, lower tasks, and fork in every way.
 */
#pragma once

#include "fake_daemon.h"

struct user {
	struct machine *m;
	pid_t tid;	/* the task that takes the next step */
	pid_t last_tid; /* the youngest task */
};

/* Starts the daemon, and then the shell of a user. */
struct user a_user(struct machine *m);

/*
 * Takes the steps of a script, which has commas between them, such as "is gnome-shell, nice -3, fork, seen":
 *
 *	is NAME				the process execs a program with this name
 *	execs NAME			the thread does
 *	names NAME			renames itself
 *	nice N, slice MS, util_max N	sets an attribute, if the kernel lets users do so
 *	normal, batch, idle, priority N	likewise
 *	io N, io idle, io none		likewise; N is a level of best effort
 *	reset-on-fork			sets the flag
 *	fork, thread			makes a child or thread, which takes the next step
 *	fork-for-parent			likewise, with CLONE_PARENT
 *	orphan				likewise, but with a parent that has ended
 *	parent, youngest		the parent, or the youngest task of all, takes the next step
 *	storm, calm			events are lost from now on; no longer, and a scan finds the tasks
 *	behind, heard			events wait from now on; all are booked
 *	seen				all events are booked, and a scan finds the tasks
 *	reload rules, reload other	the daemon gets these rules
 *	kill, start rules, start other	the daemon is killed, or starts with these rules
 */
void user_does(struct user *user, const char *script);
